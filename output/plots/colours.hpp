#pragma once
// The colours of all pictures.
//
// Reference.  Curves: Okabe and Ito, told apart by the colour-blind.  Fields: ten steps of viridis,
// whose lightness grows evenly.

#include <array>
#include <string_view>

namespace ninefold {

inline constexpr std::array<std::string_view, 7> okabe_ito{
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};

/// The same without black, which is not seen on dark pages, and what dashed lines have.
inline constexpr std::array<std::string_view, 6> curve_colours{"#0072B2", "#D55E00", "#009E73",
                                                               "#CC79A7", "#E69F00", "#56B4E9"};
inline constexpr std::string_view reference_colour = "#808080";

inline constexpr std::array<std::string_view, 10> viridis{
    "#440154", "#482878", "#3E4A89", "#31688E", "#26828E",
    "#1F9E89", "#35B779", "#6DCD59", "#B4DE2C", "#FDE725"};

}  // namespace ninefold
