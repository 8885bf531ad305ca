#pragma once
// The type lists of TEMPLATE_TEST_CASE.

/// The value types that solvers run in.
#define NINEFOLD_VALUE_TYPES float, double
