/* Kernels as functions that Python calls: checks arrays, releases the lock of the interpreter.

   The table of kernels is written by `link`: LEVELS(X) lists the processor levels in rising order,
   KERNELS(X) the kernels with the letters of their result and arguments:
   v nothing, i integer, f number, b truth, I integers, F numbers, M matrix of numbers.
   Each kernel takes its arguments in slots of eight bytes: arrays as address and shape. */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_25_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#include <numpy/arrayobject.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include "table.h"

typedef int (*Code)(const int64_t *slots, int64_t *result);

enum {
#define COUNT(id, name) LEVEL_##id,
    LEVELS(COUNT)
#undef COUNT
    N_LEVEL
};

#define DECLARE_KERNEL(level, symbol) int lissom_##level##_##symbol(const int64_t *, int64_t *);
#define DECLARE(id, name) KERNELS_OF(DECLARE_KERNEL, id)
LEVELS(DECLARE)

typedef struct {
    const char *name, *types;
    Code code[N_LEVEL];
} Entry;

static const char *const LEVEL_NAMES[] = {
#define NAME(id, name) name,
    LEVELS(NAME)
#undef NAME
};

static const Entry ENTRIES[] = {
#define CODE(level, symbol) lissom_##level##_##symbol,
#define ENTRY(symbol, types) {#symbol, types, {CODES_OF(CODE, symbol)}},
    KERNELS(ENTRY)
};
enum { N_ENTRY = sizeof(ENTRIES) / sizeof(Entry) };

typedef struct {
    const Entry *entry;
    Code code;
    PyMethodDef method;
} Kernel;

static Kernel LOADED[N_ENTRY][N_LEVEL];

/* What Numba's runtime would provide.  No array here owns memory, so nothing is ever destroyed. */
void NRT_MemInfo_call_dtor(void *info) { (void)info; abort(); }

/* Strides of a contiguous array in another shape; 0 if the sizes differ. */
int numba_attempt_nocopy_reshape(intptr_t n, const intptr_t *shape, const intptr_t *strides,
                                 intptr_t n_new, const intptr_t *new_shape, intptr_t *new_strides,
                                 intptr_t itemsize, int fortran)
{
    intptr_t size = 1, new_size = 1, stride = itemsize, k;
    (void)strides, (void)fortran;
    for (k = 0; k < n; k++) size *= shape[k];
    for (k = 0; k < n_new; k++) new_size *= new_shape[k];
    for (k = n_new - 1; k >= 0; k--) {
        new_strides[k] = stride;
        stride *= new_shape[k];
    }
    return size == new_size;
}

static const char *described(char letter)
{
    switch (letter) {
    case 'I': return "a writable contiguous vector of int64";
    case 'F': return "a writable contiguous vector of float64";
    case 'M': return "a writable contiguous matrix of float64";
    case 'i': return "an integer";
    default: return "a number";
    }
}

/* Fills the slots of one argument and returns the next free one; NULL with an exception. */
static int64_t *put(int64_t *slot, char letter, PyObject *given)
{
    switch (letter) {
    case 'I': case 'F': case 'M': {
        PyArrayObject *array = (PyArrayObject *)given;
        int n = letter == 'M' ? 2 : 1;
        if (!PyArray_Check(given) || PyArray_TYPE(array) != (letter == 'I' ? NPY_INT64 : NPY_DOUBLE)
            || PyArray_NDIM(array) != n || !PyArray_ISCARRAY(array))
            return NULL;
        *slot++ = (int64_t)(intptr_t)PyArray_DATA(array);
        for (int k = 0; k < n; k++) *slot++ = PyArray_DIM(array, k);
        return slot;
    }
    case 'f': {
        double x = PyFloat_AsDouble(given);
        memcpy(slot, &x, sizeof x);
        return x == -1.0 && PyErr_Occurred() ? NULL : slot + 1;
    }
    case 'b':
        *slot = PyObject_IsTrue(given);
        return *slot < 0 ? NULL : slot + 1;
    default:
        *slot = PyLong_AsLongLong(given);
        return *slot == -1 && PyErr_Occurred() ? NULL : slot + 1;
    }
}

static PyObject *call(PyObject *self, PyObject *const *given, Py_ssize_t n)
{
    const Kernel *kernel = PyCapsule_GetPointer(self, NULL);
    const char *name = kernel->entry->name, *types = kernel->entry->types + 1;
    int64_t slots[N_SLOT], *next = slots, result = 0;
    if (n != (Py_ssize_t)strlen(types))
        return PyErr_Format(PyExc_TypeError, "kernel %s takes %zd arguments, not %zd", name,
                            (Py_ssize_t)strlen(types), n);
    for (Py_ssize_t k = 0; k < n; k++) {
        next = put(next, types[k], given[k]);
        if (next == NULL)
            return PyErr_Format(PyExc_TypeError, "kernel %s: argument %zd is not %s: %R", name, k,
                                described(types[k]), given[k]);
    }
    PyThreadState *thread = PyEval_SaveThread();
    int status = kernel->code(slots, &result);
    PyEval_RestoreThread(thread);
    if (status != 0)
        return PyErr_Format(PyExc_RuntimeError, "kernel %s failed with status %d", name, status);
    if (types[-1] == 'v') Py_RETURN_NONE;
    return PyLong_FromLongLong(result);
}

#if defined(__x86_64__)
/* Whether the processor has a level, and the operating system keeps its registers. */
static int supported(const char *level)
{
    unsigned a, b, c = 0, d, extended = 0;
    __builtin_cpu_init();
    __get_cpuid(1, &a, &b, &c, &d);
    __get_cpuid(0x80000001, &a, &b, &extended, &d);
    int v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    int v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
             && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
             && (c & bit_MOVBE) && (c & bit_F16C) && (extended & bit_LZCNT);
    int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
             && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
             && __builtin_cpu_supports("avx512vl");
    const char *end = level + strlen(level) - 2;
    return strcmp(end, "v2") == 0 ? v2 : strcmp(end, "v3") == 0 ? v3 : v4;
}
#else
static int supported(const char *level) { (void)level; return 1; }
#endif

/* Kernel of a name for a level; NULL with an exception if there is none. */
static Kernel *find(const char *name, const char *level)
{
    for (int e = 0; e < N_ENTRY; e++)
        for (int l = 0; l < N_LEVEL; l++) {
            if (strcmp(name, ENTRIES[e].name) != 0 || strcmp(level, LEVEL_NAMES[l]) != 0) continue;
            Kernel *found = &LOADED[e][l];
            found->entry = &ENTRIES[e];
            found->code = ENTRIES[e].code[l];
            return found;
        }
    PyErr_Format(PyExc_LookupError, "no kernel %s for %s", name, level);
    return NULL;
}

/* Kernel of a name for a level, as a function. */
static PyObject *kernel(PyObject *module, PyObject *args)
{
    const char *name, *level;
    if (!PyArg_ParseTuple(args, "ss", &name, &level)) return NULL;
    Kernel *found = find(name, level);
    if (found == NULL) return NULL;
    found->method = (PyMethodDef){found->entry->name, (PyCFunction)(void *)call, METH_FASTCALL,
                                  NULL};
    PyObject *self = PyCapsule_New(found, NULL, NULL);
    PyObject *function = self ? PyCFunction_NewEx(&found->method, self, NULL) : NULL;
    Py_XDECREF(self);
    return function;
}

/* Shortcuts: kernels with most of their arguments fixed, for arrays that need no conversion.

   The vectors are q, v and x (forces or accelerations; None: zeros), as many of them as the kernel
   takes.  A call takes these and the array for the result, or None for a new one.  It returns the
   result, or a pose made of it; None for anything unusual (other types, shapes or orders, numbers
   that are not finite, quaternions that are not of unit length, arrays that overlap, another status
   than the good one).  While another call uses the same workspace it raises the error it was given,
   or returns None if there is none. */
enum { N_VECTOR = 3, MOST_SLOTS = 4, MOST_DIMENSIONS = 2, LONG_CALL = 64, POSE = 12 };

typedef struct {
    Code code;
    PyMethodDef method;
    PyObject *keep;            /* fixed arguments */
    PyObject *made;            /* class of poses, or NULL */
    int64_t slots[N_SLOT], good;
    int n_slot, n_dimension, zeroed, release, taken[N_VECTOR];
    int slot[MOST_SLOTS], vector[MOST_SLOTS], result_slot; /* which slot gets which vector */
    npy_intp size[N_VECTOR], shape[MOST_DIMENSIONS];
    double *zeros;             /* in the place of x */
    npy_intp n_quaternion, *quaternions; /* first coordinates, in the first vector */
    double tolerance;
    char *busy;                /* of the workspace */
    PyObject *error;           /* type and text, or NULL */
} Shortcut;

static PyObject *POSITION, *ROTATION, *DERIVED, *SYSTEM, *RAW_Q, *RAW_V; /* names */

static int usual(PyObject *given, npy_intp size)
{
    PyArrayObject *array = (PyArrayObject *)given;
    if (!PyArray_CheckExact(given) || PyArray_TYPE(array) != NPY_DOUBLE || PyArray_NDIM(array) != 1
        || PyArray_DIM(array, 0) != size || !PyArray_ISCARRAY_RO(array))
        return 0;
    const double *x = PyArray_DATA(array);
    double sum = 0.0;
    for (npy_intp k = 0; k < size; k++) sum += 0.0 * x[k];
    return sum == 0.0;
}

static int turns(const Shortcut *s, const double *q)
{
    for (npy_intp k = 0; k < s->n_quaternion; k++) {
        const double *x = q + s->quaternions[k];
        double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        if (!(fabs(length - 1.0) <= s->tolerance)) return 0;
    }
    return 1;
}

static int usual_result(const Shortcut *s, PyObject *given, const double *const *x)
{
    PyArrayObject *array = (PyArrayObject *)given;
    if (!PyArray_CheckExact(given) || PyArray_TYPE(array) != NPY_DOUBLE
        || PyArray_NDIM(array) != s->n_dimension || !PyArray_ISCARRAY(array))
        return 0;
    for (int k = 0; k < s->n_dimension; k++)
        if (PyArray_DIM(array, k) != s->shape[k]) return 0;
    const char *data = PyArray_DATA(array), *end = data + PyArray_NBYTES(array);
    for (int k = 0; k < N_VECTOR; k++)
        if (s->taken[k] && (const char *)x[k] < end && data < (const char *)(x[k] + s->size[k]))
            return 0;
    return 1;
}

/* Pose of the numbers that a kernel has written: attitude 9, position 3.  Its class is immutable, so
   that the attributes are set past it, as its constructor does, in a third of the time. */
static PyObject *new_pose(const Shortcut *s, const double *numbers)
{
    npy_intp shape[] = {3, 3};
    PyObject *position = PyArray_SimpleNew(1, shape, NPY_DOUBLE);
    PyObject *rotation = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    PyObject *pose = position && rotation ? PyType_GenericNew((PyTypeObject *)s->made, NULL, NULL)
                                          : NULL;
    if (pose) {
        memcpy(PyArray_DATA((PyArrayObject *)rotation), numbers, 9 * sizeof(double));
        memcpy(PyArray_DATA((PyArrayObject *)position), numbers + 9, 3 * sizeof(double));
        if (PyObject_GenericSetAttr(pose, POSITION, position) < 0
            || PyObject_GenericSetAttr(pose, ROTATION, rotation) < 0)
            Py_CLEAR(pose);
    }
    Py_XDECREF(position);
    Py_XDECREF(rotation);
    return pose;
}

/* Result of a kernel from q, v and x; those that it does not take are not read. */
static PyObject *evaluate(Shortcut *s, PyObject *const *vectors, PyObject *out)
{
    const double *x[N_VECTOR] = {NULL, NULL, NULL};
    for (int k = 0; k < N_VECTOR; k++) {
        if (!s->taken[k]) continue;
        if (k == 2 && vectors[k] == Py_None) {
            x[k] = s->zeros;
            continue;
        }
        if (!usual(vectors[k], s->size[k])) Py_RETURN_NONE;
        x[k] = PyArray_DATA((PyArrayObject *)vectors[k]);
    }
    if (s->n_quaternion && !turns(s, x[0])) Py_RETURN_NONE;
    PyObject *result = out;
    if (s->made)
        result = Py_NewRef(Py_None);
    else if (result == Py_None)
        result = s->zeroed ? PyArray_ZEROS(s->n_dimension, s->shape, NPY_DOUBLE, 0)
                           : PyArray_SimpleNew(s->n_dimension, s->shape, NPY_DOUBLE);
    else if (usual_result(s, result, x))
        Py_INCREF(result);
    else
        Py_RETURN_NONE;
    if (result == NULL) return NULL;
    if (*s->busy) {
        Py_DECREF(result);
        if (s->error == NULL) Py_RETURN_NONE;
        PyErr_SetObject(PyTuple_GetItem(s->error, 0), PyTuple_GetItem(s->error, 1));
        return NULL;
    }
    double pose[POSE];
    void *data = s->made ? (void *)pose : PyArray_DATA((PyArrayObject *)result);
    if (s->zeroed && !s->made && result == out)
        memset(data, 0, PyArray_NBYTES((PyArrayObject *)result));
    for (int k = 0; k < s->n_slot; k++) s->slots[s->slot[k]] = (int64_t)(intptr_t)x[s->vector[k]];
    s->slots[s->result_slot] = (int64_t)(intptr_t)data;
    int64_t outcome = 0;
    *s->busy = 1;
    PyThreadState *thread = s->release ? PyEval_SaveThread() : NULL;
    int status = s->code(s->slots, &outcome);
    if (thread) PyEval_RestoreThread(thread);
    *s->busy = 0;
    int good = status == 0 && outcome == s->good;
    if (good && !s->made) return result;
    Py_DECREF(result);
    if (good) return new_pose(s, pose);
    Py_RETURN_NONE;
}

static PyObject *shortcut_call(PyObject *self, PyObject *const *given, Py_ssize_t n)
{
    Shortcut *s = PyCapsule_GetPointer(self, NULL);
    PyObject *vectors[N_VECTOR] = {NULL, NULL, NULL};
    Py_ssize_t next = 0;
    for (int k = 0; k < N_VECTOR && next < n; k++)
        if (s->taken[k]) vectors[k] = given[next++];
    if (n != s->taken[0] + s->taken[1] + s->taken[2] + 1)
        return PyErr_Format(PyExc_TypeError, "%s takes other arguments", s->method.ml_name);
    return evaluate(s, vectors, given[next]);
}

static void drop_shortcut(PyObject *capsule)
{
    Shortcut *s = PyCapsule_GetPointer(capsule, NULL);
    Py_XDECREF(s->keep);
    free(s->quaternions);
    free(s->zeros);
    free(s);
}

/* Fills slots from the arguments: None marks a vector, Ellipsis the result.  `vectors` has a number
   for each None: 0 for q, 1 for v, 2 for x. */
static int fix(Shortcut *s, const char *types, PyObject *arguments, PyObject *vectors)
{
    int64_t *next = s->slots;
    for (Py_ssize_t k = 0; types[k]; k++) {
        PyObject *one = PyTuple_GetItem(arguments, k);
        if (one == NULL) return 0;
        if (one != Py_None && one != Py_Ellipsis) {
            next = put(next, types[k], one);
            if (next == NULL) {
                PyErr_Format(PyExc_TypeError, "argument %zd is not %s", k, described(types[k]));
                return 0;
            }
            continue;
        }
        if (one == Py_None) {
            PyObject *number = PyTuple_GetItem(vectors, s->n_slot);
            Py_ssize_t vector = number ? PyLong_AsSsize_t(number) : -1;
            if (s->n_slot == MOST_SLOTS || vector < 0 || vector >= N_VECTOR) {
                if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "too many vectors");
                return 0;
            }
            s->taken[vector] = 1;
            s->slot[s->n_slot] = (int)(next - s->slots);
            s->vector[s->n_slot++] = (int)vector;
            next[1] = s->size[vector];
        } else {
            s->result_slot = (int)(next - s->slots);
            next[1] = s->shape[0];
            if (types[k] == 'M' && s->n_dimension == 1) next[1] = 1, next[2] = s->shape[0];
            if (types[k] == 'M' && s->n_dimension == 2) next[2] = s->shape[1];
        }
        next += types[k] == 'M' ? 3 : 2;
    }
    return !PyErr_Occurred();
}

/* shortcut(name, level, arguments, vectors, sizes, shape, good, zeroed, made, quaternions,
            tolerance, busy, error) */
static PyObject *shortcut(PyObject *module, PyObject *args)
{
    const char *name, *level;
    PyObject *arguments, *vectors, *shape, *made, *quaternions, *busy, *error;
    long long good;
    int zeroed;
    Py_ssize_t size[N_VECTOR];
    double tolerance;
    if (!PyArg_ParseTuple(args, "ssO!O!(nnn)O!LpOO!dO!O", &name, &level, &PyTuple_Type, &arguments,
                          &PyTuple_Type, &vectors, &size[0], &size[1], &size[2], &PyTuple_Type,
                          &shape, &good, &zeroed, &made, &PyTuple_Type, &quaternions, &tolerance,
                          &PyByteArray_Type, &busy, &error))
        return NULL;
    const Kernel *found = find(name, level);
    if (found == NULL) return NULL;
    Shortcut *s = calloc(1, sizeof *s);
    if (s == NULL) return PyErr_NoMemory();
    PyObject *self = PyCapsule_New(s, NULL, drop_shortcut);
    if (self == NULL) {
        free(s);
        return NULL;
    }
    s->code = found->code;
    s->method = (PyMethodDef){found->entry->name, (PyCFunction)(void *)shortcut_call,
                              METH_FASTCALL, NULL};
    s->keep = PyTuple_Pack(4, arguments, made, busy, error);
    s->made = made == Py_None ? NULL : made;
    s->error = error == Py_None ? NULL : error;
    s->busy = PyByteArray_AsString(busy);
    s->good = good, s->zeroed = zeroed, s->tolerance = tolerance;
    s->n_dimension = (int)PyTuple_Size(shape);
    s->n_quaternion = PyTuple_Size(quaternions);
    s->quaternions = calloc((size_t)s->n_quaternion + 1, sizeof *s->quaternions);
    s->zeros = calloc((size_t)size[2] + 1, sizeof *s->zeros);
    if (!s->keep || !s->quaternions || !s->zeros || s->n_dimension > MOST_DIMENSIONS) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "too many dimensions or bytes");
        Py_DECREF(self);
        return NULL;
    }
    for (int k = 0; k < s->n_dimension; k++)
        s->shape[k] = PyLong_AsSsize_t(PyTuple_GetItem(shape, k));
    for (npy_intp k = 0; k < s->n_quaternion; k++)
        s->quaternions[k] = PyLong_AsSsize_t(PyTuple_GetItem(quaternions, k));
    for (int k = 0; k < N_VECTOR; k++) s->size[k] = size[k];
    PyObject *function = NULL;
    if (!PyErr_Occurred() && fix(s, found->entry->types + 1, arguments, vectors)) {
        for (int k = 0; k < N_VECTOR; k++) s->release |= s->taken[k] && s->size[k] > LONG_CALL;
        function = PyCFunction_NewEx(&s->method, self, NULL);
    }
    Py_DECREF(self);
    return function;
}

/* Functions of a system and a state.  A call takes the system, a State of it or a pair (q, v), x,
   the array for the result, and the name of a place; the last three may be left out or None.  The
   shortcut is in the dictionary `derived` of the system, or in one by places there.  The result is
   that of the shortcut, or None where there is none, for another state, and for anything unusual. */
typedef struct {
    PyMethodDef method;
    PyObject *key, *state; /* of the shortcut; class of states */
} Function;

/* Shortcut of a system, a new reference; NULL without an exception if there is none. */
static PyObject *shortcut_of(const Function *f, PyObject *system, PyObject *place)
{
    PyObject *derived = PyObject_GetAttr(system, DERIVED), *shortcut = NULL;
    if (derived && PyDict_Check(derived)) shortcut = PyDict_GetItemWithError(derived, f->key);
    if (shortcut && PyDict_Check(shortcut))
        shortcut = PyUnicode_CheckExact(place) ? PyDict_GetItemWithError(shortcut, place) : NULL;
    Py_XINCREF(shortcut);
    Py_XDECREF(derived);
    PyErr_Clear();
    return shortcut;
}

/* q and v of a state or a pair, new references; 0 if they are not those of this system. */
static int state_vectors(const Function *f, PyObject *system, PyObject *state, PyObject **x)
{
    if (Py_TYPE(state) == (PyTypeObject *)f->state) {
        PyObject *of = PyObject_GetAttr(state, SYSTEM);
        if (of == system)
            x[0] = PyObject_GetAttr(state, RAW_Q), x[1] = PyObject_GetAttr(state, RAW_V);
        Py_XDECREF(of);
        PyErr_Clear();
        return x[0] && x[1];
    }
    if (PyTuple_Check(state) && PyTuple_Size(state) == 2)
        x[0] = Py_NewRef(PyTuple_GetItem(state, 0)), x[1] = Py_NewRef(PyTuple_GetItem(state, 1));
    else if (PyList_Check(state) && PyList_Size(state) == 2)
        x[0] = Py_NewRef(PyList_GetItem(state, 0)), x[1] = Py_NewRef(PyList_GetItem(state, 1));
    return x[0] != NULL;
}

static PyObject *function_call(PyObject *self, PyObject *const *given, Py_ssize_t n)
{
    const Function *f = PyCapsule_GetPointer(self, NULL);
    if (n < 2 || n > 5)
        return PyErr_Format(PyExc_TypeError, "%s takes 2 to 5 arguments", f->method.ml_name);
    PyObject *x[N_VECTOR] = {NULL, NULL, n > 2 ? given[2] : Py_None}, *result = NULL;
    PyObject *out = n > 3 ? given[3] : Py_None;
    PyObject *shortcut = shortcut_of(f, given[0], n > 4 ? given[4] : Py_None);
    if (shortcut == NULL) Py_RETURN_NONE;
    if (state_vectors(f, given[0], given[1], x)) {
        if (PyCFunction_Check(shortcut)) {
            Shortcut *s = PyCapsule_GetPointer(PyCFunction_GetSelf(shortcut), NULL);
            int pair = Py_TYPE(given[1]) != (PyTypeObject *)f->state;
            if (!pair || s->taken[1] || usual(x[1], s->size[1])) result = evaluate(s, x, out);
        } else /* of users' own joints: in Python */
            result = PyObject_CallFunctionObjArgs(shortcut, x[0], x[1], x[2], out, NULL);
    }
    Py_XDECREF(x[0]);
    Py_XDECREF(x[1]);
    Py_DECREF(shortcut);
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}

static void drop_function(PyObject *capsule)
{
    Function *f = PyCapsule_GetPointer(capsule, NULL);
    Py_XDECREF(f->key);
    Py_XDECREF(f->state);
    free(f);
}

/* function(key, state) */
static PyObject *function(PyObject *module, PyObject *args)
{
    PyObject *key, *state;
    if (!PyArg_ParseTuple(args, "UO!", &key, &PyType_Type, &state)) return NULL;
    Function *f = calloc(1, sizeof *f);
    if (f == NULL) return PyErr_NoMemory();
    PyObject *self = PyCapsule_New(f, NULL, drop_function), *callable = NULL;
    if (self == NULL) {
        free(f);
        return NULL;
    }
    f->key = Py_NewRef(key), f->state = Py_NewRef(state);
    f->method = (PyMethodDef){"function", (PyCFunction)(void *)function_call, METH_FASTCALL, NULL};
    callable = PyCFunction_NewEx(&f->method, self, NULL);
    Py_DECREF(self);
    return callable;
}

static PyMethodDef METHODS[] = {
    {"kernel", kernel, METH_VARARGS, "Kernel of a name for a processor level."},
    {"shortcut", shortcut, METH_VARARGS, "Kernel with most of its arguments fixed."},
    {"function", function, METH_VARARGS, "Shortcuts of systems as a function of a state."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, METHODS,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void)
{
    import_array();
    POSITION = PyUnicode_InternFromString("position");
    ROTATION = PyUnicode_InternFromString("rotation");
    DERIVED = PyUnicode_InternFromString("derived"), SYSTEM = PyUnicode_InternFromString("system");
    RAW_Q = PyUnicode_InternFromString("raw_q"), RAW_V = PyUnicode_InternFromString("raw_v");
    if (!POSITION || !ROTATION || !DERIVED || !SYSTEM || !RAW_Q || !RAW_V) return NULL;
    PyObject *module = PyModule_Create(&MODULE), *levels = PyList_New(0);
    if (module == NULL || levels == NULL) return NULL;
    for (int l = 0; l < N_LEVEL; l++) {
        if (!supported(LEVEL_NAMES[l])) continue;
        PyObject *name = PyUnicode_FromString(LEVEL_NAMES[l]);
        if (name == NULL || PyList_Append(levels, name) < 0) return NULL;
        Py_DECREF(name);
    }
    if (PyModule_AddObjectRef(module, "levels", levels) < 0) return NULL;
    Py_DECREF(levels);
    return module;
}
