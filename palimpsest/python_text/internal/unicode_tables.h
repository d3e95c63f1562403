// Character data that utf8proc lacks: white space, numeric types, letter case outside the
// categories Ll and Lu, and Unicode's SpecialCasing. The tables are sorted by code point. Only
// unicode.cc includes this header.
#pragma once

namespace palimpsest::python_text {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr Range kSpaces[] = {{0x9, 0xd},       {0x1c, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},
                             {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
                             {0x205f, 0x205f}, {0x3000, 0x3000}};

// Digits that are not decimal digits, such as superscripts and circled digits.
constexpr Range kOtherDigits[] = {
    {0xb2, 0xb3},       {0xb9, 0xb9},       {0x1369, 0x1371},   {0x19da, 0x19da},
    {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
    {0x2474, 0x247c},   {0x2488, 0x2490},   {0x24ea, 0x24ea},   {0x24f5, 0x24fd},
    {0x24ff, 0x24ff},   {0x2776, 0x277e},   {0x2780, 0x2788},   {0x278a, 0x2792},
    {0x10a40, 0x10a43}, {0x10e60, 0x10e68}, {0x11052, 0x1105a}, {0x1f100, 0x1f10a}};

// Ideographs with a numeric value.
constexpr Range kNumericLetters[] = {
    {0x3405, 0x3405},   {0x3483, 0x3483},   {0x382a, 0x382a},   {0x3b4d, 0x3b4d},
    {0x4e00, 0x4e00},   {0x4e03, 0x4e03},   {0x4e07, 0x4e07},   {0x4e09, 0x4e09},
    {0x4e5d, 0x4e5d},   {0x4e8c, 0x4e8c},   {0x4e94, 0x4e94},   {0x4e96, 0x4e96},
    {0x4ebf, 0x4ec0},   {0x4edf, 0x4edf},   {0x4ee8, 0x4ee8},   {0x4f0d, 0x4f0d},
    {0x4f70, 0x4f70},   {0x5104, 0x5104},   {0x5146, 0x5146},   {0x5169, 0x5169},
    {0x516b, 0x516b},   {0x516d, 0x516d},   {0x5341, 0x5341},   {0x5343, 0x5345},
    {0x534c, 0x534c},   {0x53c1, 0x53c4},   {0x56db, 0x56db},   {0x58f1, 0x58f1},
    {0x58f9, 0x58f9},   {0x5e7a, 0x5e7a},   {0x5efe, 0x5eff},   {0x5f0c, 0x5f0e},
    {0x5f10, 0x5f10},   {0x62fe, 0x62fe},   {0x634c, 0x634c},   {0x67d2, 0x67d2},
    {0x6f06, 0x6f06},   {0x7396, 0x7396},   {0x767e, 0x767e},   {0x8086, 0x8086},
    {0x842c, 0x842c},   {0x8cae, 0x8cae},   {0x8cb3, 0x8cb3},   {0x8d30, 0x8d30},
    {0x9621, 0x9621},   {0x9646, 0x9646},   {0x964c, 0x964c},   {0x9678, 0x9678},
    {0x96f6, 0x96f6},   {0xf96b, 0xf96b},   {0xf973, 0xf973},   {0xf978, 0xf978},
    {0xf9b2, 0xf9b2},   {0xf9d1, 0xf9d1},   {0xf9d3, 0xf9d3},   {0xf9fd, 0xf9fd},
    {0x20001, 0x20001}, {0x20064, 0x20064}, {0x200e2, 0x200e2}, {0x20121, 0x20121},
    {0x2092a, 0x2092a}, {0x20983, 0x20983}, {0x2098c, 0x2098c}, {0x2099c, 0x2099c},
    {0x20aea, 0x20aea}, {0x20afd, 0x20afd}, {0x20b19, 0x20b19}, {0x22390, 0x22390},
    {0x22998, 0x22998}, {0x23b1b, 0x23b1b}, {0x2626d, 0x2626d}, {0x2f890, 0x2f890}};

// Lower-case and upper-case characters outside the categories Ll and Lu.
constexpr Range kOtherLower[] = {
    {0xaa, 0xaa},       {0xba, 0xba},       {0x2b0, 0x2b8},     {0x2c0, 0x2c1},    {0x2e0, 0x2e4},
    {0x345, 0x345},     {0x37a, 0x37a},     {0x1d2c, 0x1d6a},   {0x1d78, 0x1d78},  {0x1d9b, 0x1dbf},
    {0x2071, 0x2071},   {0x207f, 0x207f},   {0x2090, 0x209c},   {0x2170, 0x217f},  {0x24d0, 0x24e9},
    {0x2c7c, 0x2c7d},   {0xa69c, 0xa69d},   {0xa770, 0xa770},   {0xa7f8, 0xa7f9},  {0xab5c, 0xab5f},
    {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107b0}, {0x107b2, 0x107ba}};
constexpr Range kOtherUpper[] = {
    {0x2160, 0x216f}, {0x24b6, 0x24cf}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}};
// Characters that are skipped, besides marks and modifiers, when the neighbours of a final sigma
// are determined.
constexpr Range kCaseIgnorable[] = {
    {0x27, 0x27},     {0x2e, 0x2e},     {0x3a, 0x3a},     {0xb7, 0xb7},
    {0x387, 0x387},   {0x55f, 0x55f},   {0x5f4, 0x5f4},   {0x2018, 0x2019},
    {0x2024, 0x2024}, {0x2027, 0x2027}, {0xfe13, 0xfe13}, {0xfe52, 0xfe52},
    {0xfe55, 0xfe55}, {0xff07, 0xff07}, {0xff0e, 0xff0e}, {0xff1a, 0xff1a}};

// Letters whose upper or title case has several characters (Unicode's SpecialCasing).
struct SpecialCase {
  char32_t letter;
  const char32_t* upper;
  const char32_t* title;  // null: the same as upper
};
constexpr SpecialCase kSpecialCases[] = {{0xdf, U"SS", U"Ss"},
                                         {0x149, U"\u02bcN", nullptr},
                                         {0x1f0, U"J\u030c", nullptr},
                                         {0x390, U"\u0399\u0308\u0301", nullptr},
                                         {0x3b0, U"\u03a5\u0308\u0301", nullptr},
                                         {0x587, U"\u0535\u0552", U"\u0535\u0582"},
                                         {0x1e96, U"H\u0331", nullptr},
                                         {0x1e97, U"T\u0308", nullptr},
                                         {0x1e98, U"W\u030a", nullptr},
                                         {0x1e99, U"Y\u030a", nullptr},
                                         {0x1e9a, U"A\u02be", nullptr},
                                         {0x1f50, U"\u03a5\u0313", nullptr},
                                         {0x1f52, U"\u03a5\u0313\u0300", nullptr},
                                         {0x1f54, U"\u03a5\u0313\u0301", nullptr},
                                         {0x1f56, U"\u03a5\u0313\u0342", nullptr},
                                         {0x1fb2, U"\u1fba\u0399", U"\u1fba\u0345"},
                                         {0x1fb3, U"\u0391\u0399", U"\u1fbc"},
                                         {0x1fb4, U"\u0386\u0399", U"\u0386\u0345"},
                                         {0x1fb6, U"\u0391\u0342", nullptr},
                                         {0x1fb7, U"\u0391\u0342\u0399", U"\u0391\u0342\u0345"},
                                         {0x1fbc, U"\u0391\u0399", U"\u1fbc"},
                                         {0x1fc2, U"\u1fca\u0399", U"\u1fca\u0345"},
                                         {0x1fc3, U"\u0397\u0399", U"\u1fcc"},
                                         {0x1fc4, U"\u0389\u0399", U"\u0389\u0345"},
                                         {0x1fc6, U"\u0397\u0342", nullptr},
                                         {0x1fc7, U"\u0397\u0342\u0399", U"\u0397\u0342\u0345"},
                                         {0x1fcc, U"\u0397\u0399", U"\u1fcc"},
                                         {0x1fd2, U"\u0399\u0308\u0300", nullptr},
                                         {0x1fd3, U"\u0399\u0308\u0301", nullptr},
                                         {0x1fd6, U"\u0399\u0342", nullptr},
                                         {0x1fd7, U"\u0399\u0308\u0342", nullptr},
                                         {0x1fe2, U"\u03a5\u0308\u0300", nullptr},
                                         {0x1fe3, U"\u03a5\u0308\u0301", nullptr},
                                         {0x1fe4, U"\u03a1\u0313", nullptr},
                                         {0x1fe6, U"\u03a5\u0342", nullptr},
                                         {0x1fe7, U"\u03a5\u0308\u0342", nullptr},
                                         {0x1ff2, U"\u1ffa\u0399", U"\u1ffa\u0345"},
                                         {0x1ff3, U"\u03a9\u0399", U"\u1ffc"},
                                         {0x1ff4, U"\u038f\u0399", U"\u038f\u0345"},
                                         {0x1ff6, U"\u03a9\u0342", nullptr},
                                         {0x1ff7, U"\u03a9\u0342\u0399", U"\u03a9\u0342\u0345"},
                                         {0x1ffc, U"\u03a9\u0399", U"\u1ffc"},
                                         {0xfb00, U"FF", U"Ff"},
                                         {0xfb01, U"FI", U"Fi"},
                                         {0xfb02, U"FL", U"Fl"},
                                         {0xfb03, U"FFI", U"Ffi"},
                                         {0xfb04, U"FFL", U"Ffl"},
                                         {0xfb05, U"ST", U"St"},
                                         {0xfb06, U"ST", U"St"},
                                         {0xfb13, U"\u0544\u0546", U"\u0544\u0576"},
                                         {0xfb14, U"\u0544\u0535", U"\u0544\u0565"},
                                         {0xfb15, U"\u0544\u053b", U"\u0544\u056b"},
                                         {0xfb16, U"\u054e\u0546", U"\u054e\u0576"},
                                         {0xfb17, U"\u0544\u053d", U"\u0544\u056d"}};

}  // namespace palimpsest::python_text
