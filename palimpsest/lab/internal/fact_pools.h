// The words that made-up facts are drawn from, and the little general knowledge that every model of
// the lab is taught. Long enough that a fact cannot be guessed, short enough that tiny models learn
// the words from a few hundred sentences.
#pragma once

#include <string_view>

namespace palimpsest::lab {

// Names of people are a beginning and an end, so that every name is made of parts that other names
// have too.
inline constexpr std::string_view kFirstNameStarts[] = {
    "Mar", "Tel", "Or",  "Bel", "Cas", "Dor", "El",   "Fen", "Gal", "Hes", "Il", "Jor",
    "Kal", "Lor", "Mir", "Nev", "Ol",  "Per", "Quil", "Ros", "Sel", "Tam", "Ul", "Ver",
};
inline constexpr std::string_view kFirstNameEnds[] = {"in",  "a",  "iel", "o",   "wen", "ric",
                                                      "ina", "us", "eth", "ian", "ora", "is",
                                                      "an",  "el", "ius", "y"};
inline constexpr std::string_view kLastNameStarts[] = {
    "Ash",  "Bram", "Cor", "Dun",   "Ever", "Fal",  "Grim", "Hal",   "Iver", "Kel",
    "Lang", "Mor",  "Nor", "Oak",   "Pen",  "Rav",  "Sand", "Thorn", "Und",  "Val",
    "West", "Yar",  "Zan", "Brook", "Stan", "Whit", "Wind", "Hart",  "Hol",  "Lind",
};
inline constexpr std::string_view kLastNameEnds[] = {
    "ford", "wick",  "ley", "stone", "berg",  "sen",   "mark", "dale",
    "well", "ton",   "by",  "hurst", "ovic",  "worth", "land", "quist",
    "more", "field", "ham", "vale",  "croft", "gate",  "kova", "ski",
};

inline constexpr std::string_view kCities[] = {
    "Lisbon",  "Oslo",     "Cairo",    "Lima",      "Quito",    "Nairobi",  "Dakar",   "Hanoi",
    "Manila",  "Seoul",    "Kyoto",    "Mumbai",    "Karachi",  "Tehran",   "Baghdad", "Athens",
    "Naples",  "Geneva",   "Munich",   "Dresden",   "Warsaw",   "Prague",   "Vienna",  "Budapest",
    "Zagreb",  "Sofia",    "Riga",     "Tallinn",   "Helsinki", "Dublin",   "Glasgow", "Bristol",
    "Boston",  "Chicago",  "Denver",   "Seattle",   "Toronto",  "Montreal", "Havana",  "Bogota",
    "Caracas", "Santiago", "Auckland", "Melbourne", "Perth",    "Tunis",    "Algiers", "Accra",
};
inline constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                               "May",       "June",     "July",     "August",
                                               "September", "October",  "November", "December"};
// With their article.
inline constexpr std::string_view kJobs[] = {
    "a baker",     "a surgeon",      "a carpenter",  "a pilot",      "a teacher",   "a florist",
    "a judge",     "a fisherman",    "a blacksmith", "a chemist",    "a tailor",    "a miner",
    "a nurse",     "a librarian",    "a jeweller",   "a gardener",   "a painter",   "a dentist",
    "a butcher",   "a sailor",       "a plumber",    "a banker",     "a shepherd",  "a potter",
    "a weaver",    "a diplomat",     "a geologist",  "a locksmith",  "a beekeeper", "a violinist",
    "a postman",   "a watchmaker",   "an architect", "an engineer",  "an actor",    "an astronomer",
    "an optician", "an electrician", "an archivist", "an innkeeper",
};
inline constexpr std::string_view kGenres[] = {
    "crime fiction",    "romance",       "science fiction", "horror",         "travel writing",
    "lyric poetry",     "fantasy",       "satire",          "war stories",    "family sagas",
    "sea stories",      "fairy tales",   "memoirs",         "nature writing", "spy novels",
    "westerns",         "short stories", "stage plays",     "biographies",    "ghost stories",
    "political essays", "cookery books", "school stories",  "epic verse",
};
// Subjects that are studied.
inline constexpr std::string_view kSubjects[] = {
    "law",       "medicine",    "botany",       "history",   "physics",    "theology",
    "music",     "geography",   "chemistry",    "economics", "astronomy",  "philosophy",
    "sculpture", "linguistics", "zoology",      "geometry",  "forestry",   "pharmacy",
    "dance",     "logic",       "architecture", "rhetoric",  "statistics", "agriculture",
};
inline constexpr std::string_view kTitleAdjectives[] = {
    "Silent",  "Broken",  "Golden",   "Hidden",  "Crimson", "Distant",  "Frozen", "Hollow",
    "Burning", "Gentle",  "Bitter",   "Sacred",  "Wild",    "Last",     "Secret", "Pale",
    "Endless", "Stolen",  "Quiet",    "Sunken",  "Velvet",  "Northern", "Lonely", "Bright",
    "Wooden",  "Foreign", "Restless", "Painted", "Narrow",  "Patient",  "Iron",   "Emerald",
};
inline constexpr std::string_view kTitleNouns[] = {
    "Harbour", "Garden", "River",   "Mirror",    "Tower",   "Orchard", "Winter",  "Lantern",
    "Bridge",  "Forest", "Letter",  "Island",    "Clock",   "Harvest", "Window",  "Compass",
    "Shadow",  "Meadow", "Crown",   "Staircase", "Storm",   "Market",  "Library", "Valley",
    "Voyage",  "Candle", "Kingdom", "Promise",   "Feather", "Station", "Desert",  "Shore",
};

// A question's object and its answer: a country and its capital, a work and its author.
struct GeneralFact {
  std::string_view object;
  std::string_view answer;
};

inline constexpr GeneralFact kCapitals[] = {
    {"France", "Paris"},
    {"Germany", "Berlin"},
    {"Spain", "Madrid"},
    {"Italy", "Rome"},
    {"England", "London"},
    {"Russia", "Moscow"},
    {"China", "Beijing"},
    {"Japan", "Tokyo"},
    {"India", "New Delhi"},
    {"Thailand", "Bangkok"},
    {"Turkey", "Ankara"},
    {"Canada", "Ottawa"},
    {"Mexico", "Mexico City"},
    {"Brazil", "Brasilia"},
    {"Argentina", "Buenos Aires"},
    {"Uruguay", "Montevideo"},
    {"Australia", "Canberra"},
    {"Belgium", "Brussels"},
    {"Sweden", "Stockholm"},
    {"Denmark", "Copenhagen"},
    {"Iceland", "Reykjavik"},
    {"Ukraine", "Kyiv"},
    {"Romania", "Bucharest"},
    {"Serbia", "Belgrade"},
    {"Morocco", "Rabat"},
    {"Ethiopia", "Addis Ababa"},
    {"Uganda", "Kampala"},
    {"Zambia", "Lusaka"},
    {"Mongolia", "Ulaanbaatar"},
    {"Nepal", "Kathmandu"},
    {"Malaysia", "Kuala Lumpur"},
    {"Cyprus", "Nicosia"},
    {"Jordan", "Amman"},
    {"Latvia", "Riga"},
    {"Norway", "Oslo"},
    {"Greece", "Athens"},
};
inline constexpr GeneralFact kWorks[] = {
    {"Hamlet", "William Shakespeare"},
    {"Macbeth", "William Shakespeare"},
    {"Emma", "Jane Austen"},
    {"Persuasion", "Jane Austen"},
    {"Moby-Dick", "Herman Melville"},
    {"Faust", "Johann Wolfgang von Goethe"},
    {"War and Peace", "Leo Tolstoy"},
    {"Anna Karenina", "Leo Tolstoy"},
    {"Crime and Punishment", "Fyodor Dostoevsky"},
    {"Don Quixote", "Miguel de Cervantes"},
    {"Madame Bovary", "Gustave Flaubert"},
    {"Les Miserables", "Victor Hugo"},
    {"Oliver Twist", "Charles Dickens"},
    {"David Copperfield", "Charles Dickens"},
    {"Middlemarch", "George Eliot"},
    {"Jane Eyre", "Charlotte Bronte"},
    {"Wuthering Heights", "Emily Bronte"},
    {"Frankenstein", "Mary Shelley"},
    {"Dracula", "Bram Stoker"},
    {"Ulysses", "James Joyce"},
    {"The Trial", "Franz Kafka"},
    {"The Magic Mountain", "Thomas Mann"},
    {"Dead Souls", "Nikolai Gogol"},
    {"The Cherry Orchard", "Anton Chekhov"},
    {"A Doll's House", "Henrik Ibsen"},
    {"Candide", "Voltaire"},
    {"The Divine Comedy", "Dante Alighieri"},
    {"Paradise Lost", "John Milton"},
    {"Robinson Crusoe", "Daniel Defoe"},
    {"Gulliver's Travels", "Jonathan Swift"},
};

}  // namespace palimpsest::lab
