// Shaders.

const BODY_VERTEX = `#version 300 es
precision highp float;
precision highp sampler2D;
layout(location = 0) in vec3 offset;
layout(location = 1) in vec3 normal;
layout(location = 2) in uint node;
layout(location = 3) in mat4 model;  // of the body; one for each instance
layout(location = 7) in vec4 own;    // colour, and index of its first modal coordinate
layout(location = 8) in vec2 start;   // number of its first stress; how much it is drawn in front
uniform sampler2D stresses;  // at nodes of all bodies
uniform int stressed;        // 1: colours show stress
uniform sampler2D table;  // for each node: position, then rotation and translation of each mode
uniform sampler2D eta;    // coordinates of the system
uniform sampler2D sections;  // of rods: quaternion, then position and what the colour shows
uniform int modes;           // -1: a rod; own.w is then the number of its first section
uniform float scale;      // of the deformation
uniform vec4 stripes;     // of flexible bodies: axis of the body at rest, and number per metre along it
uniform mat4 flatten, camera;
out vec3 place, face, tint;
out float bend, along;

vec3 entry(int k) { return texelFetch(table, ivec2(k % 1024, k / 1024), 0).xyz; }
float coordinate(int k) { return texelFetch(eta, ivec2(k % 1024, k / 1024), 0).x; }

vec3 turned(vec3 theta, vec3 x) {
  float angle = length(theta);
  vec3 once = cross(theta, x), twice = cross(theta, once);
  if (angle < 1e-3) return x + once + 0.5 * twice;
  float half_sine = sin(0.5 * angle) / angle;
  return x + sin(angle) / angle * once + 2.0 * half_sine * half_sine * twice;
}

vec3 attitude(vec4 q, vec3 x) { return x + 2.0 * cross(q.xyz, cross(q.xyz, x) + q.w * x); }

vec4 section(int k) { return texelFetch(sections, ivec2(k % 1024, k / 1024), 0); }

void deform(out vec3 local, out vec3 outward) {
  if (modes < 0) {
    int k = 2 * (int(own.w + 0.5) + int(node));
    vec4 q = section(k), p = section(k + 1);
    bend = p.w;
    along = dot(entry(int(node)) + offset, stripes.xyz) * stripes.w;
    local = p.xyz + attitude(q, offset);
    outward = attitude(q, normal);
    return;
  }
  int row = int(node) * (1 + 2 * modes), first = int(own.w + 0.5);
  vec3 rest = entry(row), turn = vec3(0.0), shift = vec3(0.0);
  for (int k = 0; k < modes; k++) {
    float e = coordinate(first + k);
    turn += e * entry(row + 1 + 2 * k);
    shift += e * entry(row + 2 + 2 * k);
  }
  bend = length(shift);
  along = dot(rest + offset, stripes.xyz) * stripes.w;
  local = rest + scale * shift + turned(scale * turn, offset);
  outward = turned(scale * turn, normal);
}

void main() {
  vec3 local, outward;
  deform(local, outward);
  if (stressed == 1) {
    int k = int(start.x + 0.5) + int(node);
    bend = start.x < 0.0 ? 0.0 : texelFetch(stresses, ivec2(k % 1024, k / 1024), 0).x;
  }
  place = (flatten * model * vec4(local, 1.0)).xyz;
  face = mat3(model) * outward;
  gl_Position = camera * vec4(place, 1.0);
  gl_Position.z -= start.y * gl_Position.w; // faces in one plane do not flicker
  tint = own.rgb;
}`;

const BODY_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, face, tint;
in float bend, along;
uniform float striped;  // 1: flexible bodies have stripes
uniform vec3 eye, light, up;
uniform float largest;  // value of the last colour; 0: bodies keep their colours
uniform float shadow;   // above 0: draw only a shadow of this darkness
out vec4 result;

vec3 scale_color(float t) {
  vec3 c[5] = vec3[5](vec3(.267, .004, .329), vec3(.231, .322, .545), vec3(.129, .569, .549),
                      vec3(.369, .788, .384), vec3(.993, .906, .144));
  float x = clamp(t, 0.0, 1.0) * 3.999;
  int k = int(x);
  return mix(c[k], c[k + 1], x - float(k));
}

void main() {
  if (shadow > 0.0) { result = vec4(0.0, 0.0, 0.0, shadow); return; }
  vec3 n = normalize(face), toEye = normalize(eye - place);
  if (dot(n, toEye) < 0.0) n = -n;
  vec3 base = largest > 0.0 ? scale_color(bend / largest) : tint;
  if (striped > 0.0) {
    float wide = max(fwidth(along), 1e-6), line = 1.0 - clamp(abs(fract(along) - 0.5) / wide - 0.4, 0.0, 1.0);
    base *= 1.0 - 0.45 * line * clamp(1.6 - 4.0 * wide, 0.0, 1.0);
  }
  float key = max(dot(n, light), 0.0), sky = 0.5 + 0.5 * dot(n, up);
  float shine = pow(max(dot(n, normalize(light + toEye)), 0.0), 48.0);
  float rim = pow(1.0 - max(dot(n, toEye), 0.0), 3.0);
  vec3 lit = base * (0.42 + 0.24 * sky + 0.46 * key) + 0.12 * shine;
  result = vec4(mix(lit, base * 0.5, 0.4 * rim), 1.0);
}`;

// Lines of a width in pixels: each segment is a rectangle that faces the camera.
const LINE_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
layout(location = 3) in vec4 from_color;
layout(location = 4) in vec4 to_color;
uniform mat4 camera;
uniform vec2 screen;
uniform float width;
out vec4 paint;

void main() {
  vec4 a = camera * vec4(from, 1.0), b = camera * vec4(to, 1.0);
  float near = 1e-4;
  if (a.w < near && b.w < near) { gl_Position = vec4(0, 0, 2, 1); return; }
  if (a.w < near) a = mix(b, a, (b.w - near) / (b.w - a.w));
  if (b.w < near) b = mix(a, b, (a.w - near) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * screen;
  float length_ = length(along);
  along = length_ > 0.0 ? along / length_ : vec2(1, 0);
  vec4 p = corner.x < 0.5 ? a : b;
  vec2 shift = vec2(-along.y, along.x) * corner.y * width;
  gl_Position = p + vec4(shift / screen * p.w, 0.0, 0.0);
  paint = corner.x < 0.5 ? from_color : to_color;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 paint;
out vec4 result;
void main() { result = paint; }`;
