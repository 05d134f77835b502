"""Code that Numba compiles: the shortest of the checks of `tests.verify_compiling`.

They are imported, and pytest collects and runs them here.
"""

import pytest

pytest.register_assert_rewrite("tests.verify_compiling")  # so that failures show values

from tests.verify_compiling import (  # noqa: E402
    small,
    test_a_second_process_loads_without_a_word,
    test_an_edit_in_another_file_changes_the_result,
    test_an_entry_needs_a_decorated_function,
    test_code_whose_seal_was_not_asked_for_is_not_used,
    test_not_a_number_is_seen_under_all_flags,
    test_other_types_are_refused_and_writable_arrays_are_taken_as_read_only,
    test_the_seal_covers_the_sources_of_loads,
    test_threads_share_one_kernel,
    test_without_jit_the_kernel_is_the_function,
)

__all__ = [
    "small",
    "test_a_second_process_loads_without_a_word",
    "test_an_edit_in_another_file_changes_the_result",
    "test_an_entry_needs_a_decorated_function",
    "test_code_whose_seal_was_not_asked_for_is_not_used",
    "test_not_a_number_is_seen_under_all_flags",
    "test_other_types_are_refused_and_writable_arrays_are_taken_as_read_only",
    "test_the_seal_covers_the_sources_of_loads",
    "test_threads_share_one_kernel",
    "test_without_jit_the_kernel_is_the_function",
]
