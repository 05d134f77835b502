"""The PTX that ships, executed on a CPU: translated into C, one call for each thread.

Modules: `parsing` reads the text, `instructions` knows what each instruction means, `translation`
writes C, `compiled` has it compiled and kept, `device` starts it as a GPU would.
"""
