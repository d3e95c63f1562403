"""Small cases of the template language: expressions, statements, filters, tests and errors."""

VARIABLES = {
    "n": 7,
    "neg": -7,
    "x": 2.5,
    "name": "Ada",
    "text": "Hello World",
    "uni": "Straße ñandú 日本 😀",
    "empty": "",
    "yes": True,
    "no": False,
    "nothing": None,
    "numbers": [3, 1, 2],
    "mixed": [1, "two", 3.0, None, True],
    "words": ["banana", "Apple", "cherry", "apple"],
    "user": {"name": "Grace", "age": 45, "tags": ["a", "b"], "address": {"city": "Paris"}},
    "people": [
        {"name": "Ann", "age": 30, "city": "Rome"},
        {"name": "bob", "age": 25, "city": "rome"},
        {"name": "Cid", "age": 30, "city": "Oslo"},
        {"name": "dee", "age": 40},
    ],
    "tree": [{"v": 1, "kids": [{"v": 2, "kids": []}, {"v": 3, "kids": [{"v": 4}]}]}, {"v": 5}],
    "html": "<a href=\"x\">'&'</a>",
    "lines": "one\ntwo\n\n  three\r\nfour",
    "pairs": [["a", 1], ["b", 2]],
    "items": "shadow",
}

# Each is printed by {{ … }}.
EXPRESSIONS = r"""
1
1_000_000
0x1F
0b101
0o17
1.5
1e3
1.5e-7
1E+2
'a' "b" 'c'
'it\'s'
"a\tb\\n\x41\u00e9\U0001F600\101\q"
'\é \日'
[1, 2, 3]
[1, 'a', none, true, 2.0]
(1, 2)
(1,)
()
{'a': 1, 'b': [2, 3]}
{1: 'x', 1.0: 'y', true: 'z'}
{}
[]
true
True
none
None
false
1 + 2 * 3
(1 + 2) * 3
7 // 2
-7 // 2
7 // -2
7 % 3
-7 % 3
7 % -3
7.5 % 2
-7.5 % 2
7.5 // 2
-7.5 // 2
7 / 2
6 / 2
2 ** 10
2 ** -1
2 ** 0.5
2 ** 3 ** 2
-2 ** 2
(-2) ** 2
10 ** 18
1 / 3
0.1 + 0.2
1e16
1e15
123456789012345678.0
1e-5
0.0001
100000.0
-0.0
1e300 * 1e10
3.0
2.50
1 + 1.0
true + true
true + 1
-true
+3
--3
- 3 + 2
'a' + 'b'
'ab' * 3
3 * 'ab'
'ab' * 0
'ab' * -1
[1] * 3
[1] + [2]
(1,) + (2,)
'a' ~ 1 ~ none ~ 2.0 ~ [1]
1 ~ 2
missing ~ 'x'
1 < 2
1 < 2 < 3
1 < 2 > 3
1 == 1.0
1 == true
'a' == 'a'
'a' != 'b'
'a' < 'b'
'Z' < 'a'
[1, 2] < [1, 3]
[1, 2] == [1, 2]
(1, 2) == [1, 2]
{'a': 1} == {'a': 1.0}
none == none
missing == missing
missing == none
missing != 1
2 in [1, 2]
2 not in [1, 2]
'el' in 'hello'
'a' in {'a': 1}
1.0 in [1]
missing in [1]
3 in range(5)
3.5 in range(5)
not true
not 0
not not 'a'
true and 'x'
0 and 'x'
'' or 'x'
'a' or 'b'
none or missing
1 if true else 2
1 if false else 2
1 if false
(1 if false) is defined
'a' if n > 5 else 'b' if n > 3 else 'c'
n
missing
missing is defined
user.name
user['name']
user.missing
user['missing']
user.address.city
user.tags[0]
user.tags.0
user.tags[-1]
user.tags[5]
user.tags['x']
user.items()
user.items
user.keys()
user.values()
user.keys() | list
user.get('name')
user.get('nope')
user.get('nope', 'd')
user['get']('name')
pairs[0][1]
pairs.0.1
text[0]
text[-1]
text[1:3]
text[:5]
text[6:]
text[:]
text[::-1]
text[::2]
text[10:2:-3]
text[-5:-2]
text[100:]
uni[0:6]
uni[-1]
uni[::-1]
numbers[1:]
numbers[::-1]
numbers[-2:]
(1,2,3,4)[1:3]
range(10)[2:8:2] | list
range(10)[3]
range(10)[-1]
range(3)
range(1, 10, 3)
range(5) | list
range(2, 5) | list
range(5, 0, -2) | list
range(0)|list
numbers[true]
text[1.5]
user[1]
none.foo
none['foo']
n.foo
n.real
x.is_integer()
(2.0).is_integer()
text.upper()
text.lower()
text.title()
text.swapcase()
text.capitalize()
text.replace('o', '0')
text.replace('l', 'L', 1)
text.replace('', '-')
text.split()
text.split('o')
text.split('o', 1)
text.split(sep='l', maxsplit=2)
text.rsplit('o', 1)
'a b  c '.split(' ')
'  a b  c '.split()
'  a b  c '.split(none, 1)
'  a b  c '.rsplit(none, 1)
lines.splitlines()
lines.splitlines(true)
text.partition(' ')
text.partition('zz')
text.rpartition('o')
text.rpartition('zz')
text.startswith('Hell')
text.startswith(('x', 'H'))
text.startswith('World', 6)
text.endswith('d')
text.endswith(('x', 'ld'))
text.endswith('Hello', 0, 5)
text.find('o')
text.find('o', 5)
text.find('zz')
text.rfind('o')
text.index('W')
text.count('l')
text.count('')
uni.find('日')
'  pad '.strip()
'  pad '.lstrip()
'  pad '.rstrip()
'xxpadxy'.strip('xy')
'xxpadxy'.lstrip('x')
'xxpadxy'.rstrip('yx')
'\u3000wide\u00a0'.strip()
', '.join(['a', 'b'])
'-'.join('abc')
''.join([])
'abc'.isalpha()
'abc1'.isalnum()
'12'.isdigit()
'²'.isdigit()
'²'.isdecimal()
'½'.isnumeric()
' \t'.isspace()
''.isspace()
'abc'.islower()
'ABC'.isupper()
'Hello World'.istitle()
'a_b'.isidentifier()
'1a'.isidentifier()
'a\n'.isprintable()
'7'.zfill(3)
'-7'.zfill(4)
'ab'.center(7, '*')
'ab'.center(6)
'abc'.center(6, '-')
'ab'.ljust(5, '.')
'ab'.rjust(5)
'abc'.removeprefix('a')
'abc'.removesuffix('c')
'straße'.upper()
'ΑΣ'.lower()
'ΌΔΟΣ ΣΑΣ'.lower()
'ŉ'.upper()
'ﬁn'.title()
'İ'.lower()
'ǆ'.title()
"they're bill's".title()
'{} {}'.format(1, 'a')
'{0} {1} {0}'.format('a', 'b')
'{name}!'.format(name='x')
'{0.name} {0[age]}'.format(user)
'{:>5}|{:<5}|{:^5}'.format('a', 'b', 'c')
'{:*^7}'.format('mid')
'{:05d} {:+d} {:x} {:#x} {:b} {:o}'.format(42, 42, 255, 255, 5, 8)
'{:,} {:_}'.format(1234567, 1234567)
'{:.2f} {:8.3f} {:e} {:g} {:%}'.format(3.14159, 2.5, 12345.678, 0.0001, 0.25)
'{:.3}'.format(2.0)
'{:.3}'.format(1234.5)
'{!r} {!s}'.format('a', 'b')
'{:{w}}|'.format('a', w=4)
'{{}} {}'.format(1)
'{}'.format(missing)
'{}'.format([1, 'a'])
'{:d}'.format(true)
'{}'.format(true)
'{:08,}'.format(1234)
'%s and %s' % ('a', 1)
'%s' % 'a'
'%d%%' % 50
'%5d|%-5d|%05d' % (42, 42, 42)
'%.2f' % 3.14159
'%8.3f|' % 2.5
'%x %X %o %#x' % (255, 255, 8, 255)
'%e %g' % (12345.678, 0.00001)
'%r' % 'a'
'%s' % [1]
'%(a)s-%(b)d' % {'a': 'x', 'b': 2}
'%c%c' % (65, 'B')
'%5s|%-5s|%.2s' % ('ab', 'ab', 'abc')
'%+d % d' % (5, 5)
'%s' % none
'%i' % 3.9
'%*d' % (5, 42)
"it's"
["it's", 'a"b', 'both\'"']
['tab\t', 'nl\n', 'é', '\x00', '\u200b', '😀', '\\']
[1.0, 1e20, 1e-7, 0.1]
{'k': none, 'l': true}
[(1,), (), [[]]]
dict(a=1, b=2)
dict([('a', 1)])
dict({'a': 1}, b=2)
namespace(a=1)
namespace({'a': 1}, b=2).b
cycler('a', 'b').next()
joiner('|')()
name.upper() + '!'
(n, x)
n, x
[n, x][0]
{'a': {'b': {'c': 1}}}.a.b.c
user.tags + ['c']
user is mapping and 'name' in user
"a" "b" ~ "c"
1 is number is true
loop
raise_exception
range
''.__class__
user.__class__
''.__class__.__mro__
[].append
user._private
strftime_now('%d %B %Y')
strftime_now('%Y-%m-%d %H:%M:%S')
strftime_now('%-d %b %y, %A %j %I%p %U %W %V %G %u %w %e %a')
strftime_now('%c|%x|%X|%D|%F|%T|%R|%f|%%|%C|%h')
""".strip().split("\n")

FILTERS = r"""
text|upper
text|lower
text|capitalize
'hello wORLD foo-bar (baz [qux {a <b'|title
"it's ok"|title
text|trim
'  x '|trim
'xxaxx'|trim('x')
text|replace('o', '0')
text|replace('o', '0', 1)
text|replace('l', '')
5|replace(5, 6)
text|length
numbers|length
user|count
uni|length
missing|length
numbers|first
numbers|last
''|first
[]|last is defined
text|first
text|last
user|first
user|last
range(4)|last
user.items()|last
numbers|join
numbers|join(', ')
numbers|join(d='-')
people|join('|', attribute='name')
missing|join
text|join('.')
mixed|join(',')
numbers|list
text|list
user|list
missing|list
missing|default('d')
missing|d('d')
missing|default
empty|default('d')
empty|default('d', true)
nothing|default('d', boolean=true)
nothing|default('d')
0|default(5, true)
user.nope|default('x')
'42'|int
'42.7'|int
'abc'|int
'abc'|int(5)
'0x1f'|int(0, 16)
'ff'|int(base=16)
'0b11'|int(0, 2)
' 12 '|int
'1_000'|int
3.9|int
-3.9|int
true|int
none|int
none|int(default=3)
[]|int
'inf'|int
'nan'|int(9)
'1e3'|int
'3.14'|float
'abc'|float
'abc'|float(1.5)
'1e3'|float
'inf'|float
'-Infinity'|float
'nan'|float
3|float
none|float(2.0)
-5|abs
5.5|abs
-2.5|abs
true|abs
42.55|round
42.55|round(1)
42.55|round(1, 'floor')
42.55|round(1, 'ceil')
42.45|round(1)
2.5|round
3.5|round
-2.5|round
2.675|round(2)
1234.5|round(-2)
1250|round(-2)
1350|round(-2)
7|round
7|round(2, 'ceil')
0.5|round|int
1e20|round
5.015|round(2)
-1.5|round(0, 'ceil')
numbers|sort
numbers|sort(reverse=true)
words|sort
words|sort(case_sensitive=true)
words|sort(true)
people|sort(attribute='age')|map(attribute='name')|list
people|sort(attribute='age,name')|map(attribute='name')|list
people|sort(attribute='age', reverse=true)|map(attribute='name')|list
[[2, 'b'], [1, 'z'], [2, 'a']]|sort
pairs|sort(attribute=1, reverse=true)
words|unique|list
words|unique(true)|list
[1, 1.0, true, 2]|unique|list
people|unique(attribute='age')|map(attribute='name')|list
numbers|min
numbers|max
words|min
words|max(case_sensitive=true)
people|max(attribute='age')
[]|min
numbers|sum
people|sum(attribute='age')
numbers|sum(start=10)
[[1], [2]]|sum(start=[])
[0.1, 0.2, 0.3]|sum
[]|sum
numbers|reverse|list
text|reverse
user|reverse|list
range(3)|reverse|list
(numbers|map('string'))|reverse
user|items|list
missing|items|list
user|dictsort
{'b': 1, 'A': 2, 'a': 3}|dictsort
{'b': 1, 'A': 2, 'a': 3}|dictsort(true)
{'b': 1, 'A': 2, 'a': 3}|dictsort(false, 'value')
{'b': 1, 'A': 2, 'a': 3}|dictsort(reverse=true)
range(7)|batch(3)|list
range(7)|batch(3, 'x')|list
range(6)|batch(3, 'x')|list
range(7)|slice(3)|list
range(7)|slice(3, 'x')|list
range(2)|slice(4)|list
lines|indent
lines|indent(2)
lines|indent(2, true)
lines|indent(2, first=true, blank=true)
lines|indent('> ', true)
''|indent(2, true)
'foo bar baz qux'|truncate(9)
'foo bar baz qux'|truncate(9, true)
'foo bar baz qux'|truncate(11)
'foo bar baz qux'|truncate(11, false, '...', 0)
'foobarbaz'|truncate(6, false, '', 0)
text|wordcount
"it's a few, words_here ok"|wordcount
uni|wordcount
text|center(21)
'abc'|center(8)|replace(' ', '.')
html|e
html|escape
html|safe
html|forceescape
(html|e)|e
(html|e)|forceescape
html|e|length
('<'|safe) + '<'
'<' + ('<'|safe)
('<'|safe) ~ '<'
('<%s>'|safe) % '<'
('<%s>'|safe)|format('<')
('<b>'|safe).replace('b', '<')
('a<'|safe)|upper + '<'
('{}<'|safe).format('<')
['<'|e]
'<'|e|string
', '|safe|list
(', '|safe).join(['<', 1])
'%s-%s'|format('a', 1)
'%(a)s'|format(a=3)
'%d items'|format(3)
5|string
none|string
[1]|string
true|string
1.0|string
numbers|string|length
user|tojson
user|tojson(indent=2)
user|tojson(indent=4)
user|tojson(indent='\t')
user|tojson(indent=0)
user|tojson(sort_keys=true)
user|tojson(separators=(',', ':'))
user|tojson(indent=2, separators=(', ', ' : '))
mixed|tojson
uni|tojson
uni|tojson(ensure_ascii=true)
uni|tojson(true)
'a"b\\c\n\t\r\x08\x0c\x01\x7f/</script>'|tojson
'\u2028'|tojson
(1, 2)|tojson
[]|tojson(indent=2)
{}|tojson(indent=2)
[[], {}, [1, [2]]]|tojson(indent=1)
1.0|tojson
1e100|tojson
'nan'|float|tojson
'inf'|float|tojson
none|tojson
true|tojson
{1: 'a', true: 'b', none: 'c', 2.5: 'd'}|tojson
tree|tojson
html|tojson
numbers|map('string')|list
numbers|map('default', 1)|list
words|map('upper')|join(',')
words|map('replace', 'a', 'A')|list
people|map(attribute='name')|list
people|map(attribute='city')|list
people|map(attribute='city', default='?')|list
people|map('length')|list
[user]|map(attribute='address.city')|list
pairs|map(attribute=0)|list
pairs|map(attribute='1')|list
pairs|map('first')|list
missing|map('upper')|list
none|map('upper')|list
mixed|select|list
mixed|select('string')|list
mixed|select('number')|list
numbers|select('odd')|list
numbers|select('divisibleby', 3)|list
numbers|select('>', 1)|list
numbers|select('in', [1, 2])|list
mixed|reject|list
numbers|reject('odd')|list
numbers|reject('eq', 1)|list
people|selectattr('city')|map(attribute='name')|list
people|selectattr('age', 'equalto', 30)|map(attribute='name')|list
people|selectattr('city', 'defined')|list|length
people|selectattr('address.city')|list
people|rejectattr('city')|map(attribute='name')|list
people|rejectattr('age', 'gt', 29)|map(attribute='name')|list
people|groupby('age')|map('first')|list
people|groupby('city', default='?')|map(attribute='grouper')|list
people|groupby('city', default='?', case_sensitive=true)|map('first')|list
(people|groupby('age'))[0].list[0].name
people|groupby('age')|length
user|attr('name') is defined
user|attr('items') is defined
user|attr('get') is callable
1000|filesizeformat
1|filesizeformat
999|filesizeformat
1500000|filesizeformat
1500000|filesizeformat(true)
'a b/c?d=é&'|urlencode
{'a': 1, 'b c': 'd&e'}|urlencode
pairs|urlencode
{'class': 'a', 'id': none, 'x': '<'}|xmlattr
text|upper|lower|replace('h', 'J')|trim('J')
-1|abs
-x|abs
(n + 1)|string|length
numbers|sort|first ~ '!'
numbers|length > 2
not numbers|length
n|string + 'a'
'random' is filter
'nope' is filter
'odd' is test
'nope' is test
""".strip().split("\n")

TESTS = r"""
n is defined
missing is defined
missing is undefined
user.name is defined
user.nope is not defined
user.nope is undefined
nothing is none
n is none
n is not none
missing is none
text is string
n is string
n is number
x is number
true is number
text is number
n is integer
x is integer
true is integer
x is float
n is float
user is mapping
numbers is mapping
numbers is sequence
text is sequence
user is sequence
n is sequence
missing is sequence
range(3) is sequence
user.items() is sequence
(numbers|map('string')) is sequence
numbers is iterable
text is iterable
n is iterable
missing is iterable
(numbers|map('string')) is iterable
true is boolean
n is boolean
none is boolean
yes is true
no is false
1 is true
n is odd
n is even
neg is odd
x is even
9 is divisibleby 3
9 is divisibleby(4)
n is eq 7
n is equalto 7
n is ne 7
n is lt 8
n is lessthan 8
n is le 7
n is gt 8
n is greaterthan 6
n is ge 7
n is sameas n
true is sameas true
none is sameas none
1 is sameas 1
2 is in [1, 2]
'a' is in 'abc'
3 is not in [1, 2]
'abc' is lower
'aBc' is lower
'ABC' is upper
'' is upper
1 is upper
range is callable
text is callable
missing is callable
text.upper is callable
('<'|e) is escaped
'<' is escaped
n is not odd
not n is odd
n is odd and x is float
n is defined or missing
n is divisibleby 7 and n is odd
n is eq(7) == true
[n is odd, n is even]
'x' is in(['x']) | string
""".strip().split("\n")

# Whole templates.
STATEMENTS = [
    "{% if n %}a{% endif %}",
    "{% if no %}a{% elif n > 5 %}b{% else %}c{% endif %}",
    "{% if no %}a{% elif no %}b{% else %}c{% endif %}",
    "{% if n is odd %}odd{% else %}even{% endif %}",
    "{% if not missing %}x{% endif %}",
    "{% if n, %}tuple{% endif %}",
    "{% if n: %}colon{% endif %}",
    "{% for i in numbers %}{{ i }},{% endfor %}",
    "{% for i in numbers: %}{{ i }}{% endfor %}",
    "{% for i in [] %}x{% else %}none{% endfor %}",
    "{% for i in missing %}x{% else %}none{% endfor %}",
    "{% for i in numbers if i > 1 %}{{ i }}{{ loop.index }}{{ loop.last }} {% endfor %}",
    "{% for i in numbers if i > 9 %}{{ i }}{% else %}none{% endfor %}",
    "{% for i in numbers if i > 1 %}{{ loop.length }}{{ loop.revindex }}{% endfor %}",
    "{% for k, v in user.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% for k, v in user|dictsort %}{{ k }}={{ v }};{% endfor %}",
    "{% for k in user %}{{ k }}{% endfor %}",
    "{% for c in 'añ😀' %}{{ c }}.{% endfor %}",
    "{% for a, b in pairs if b > 1 %}{{ a }}{{ loop.index }}{% endfor %}",
    "{% for (a, b) in pairs %}{{ a }}{{ b }}{% endfor %}",
    "{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}",
    "{% for i in 1, 2, 3 %}{{ i }}{% endfor %}",
    "{% for i in numbers %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}"
    "{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }} {% endfor %}",
    "{% for i in numbers %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }} {% endfor %}",
    "{% for i in numbers %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }} {% endfor %}",
    "{% for i in numbers %}{{ loop.cycle('a', 'b') }}{% endfor %}",
    "{% for i in [1, 1, 2, 2, 1] %}{{ loop.changed(i) }} {% endfor %}",
    "{% for i in [1, 1, 2] %}{% if loop.changed(i, 'x') %}{{ i }}{% endif %}{% endfor %}",
    "{% for i in numbers %}{{ loop }} {% endfor %}",
    "{% for i in numbers %}{{ loop|length }}{% endfor %}",
    "{% for i in numbers %}{% for j in 'ab' %}{{ loop.index }}{% endfor %}{{ loop.index }} {% endfor %}",
    "{% for i in numbers %}{% set outer = loop %}{% for j in 'ab' %}{{ outer.index }}{{ loop.index }} "
    "{% endfor %}{% endfor %}",
    "{% for n in tree recursive %}{{ n.v }}{% if n.kids %}({{ loop(n.kids) }}){% endif %}{% endfor %}",
    "{% for n in tree recursive %}{{ loop.depth }}{{ n.v }}{{ loop(n.kids) }}{% endfor %}",
    "{% for n in tree if n.v < 5 recursive %}{{ n.v }}{% if n.kids %}[{{ loop(n.kids) }}]{% endif %}{% else %}!{% endfor %}",
    "{% for i in range(10) %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}",
    "{% for i in range(6) %}{% if i is odd %}{% continue %}{% endif %}{{ i }}{% endfor %}",
    "{% for i in [1] %}{% break %}{% else %}E{% endfor %}",
    "{% for i in [1, 2] %}{% if i == 1 %}{% continue %}{% endif %}x{% else %}E{% endfor %}",
    "{% for i in [1, 2] %}{% for j in [] %}{% else %}{% break %}{% endfor %}{{ i }}{% endfor %}",
    "{% for i in [1, 2] %}{% set x %}{% break %}{% endset %}{{ i }}{% endfor %}done",
    "{% for i in [1, 2] %}a{% filter upper %}b{% continue %}{% endfilter %}c{% endfor %}",
    "{% set a = 1 %}{{ a }}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set a, b = 'xy' %}{{ a }}{{ b }}",
    "{% set (a, b) = pairs[0] %}{{ a }}{{ b }}",
    "{% set a = 1, %}{{ a }}",
    "{% set a %}block {{ n }}{% endset %}[{{ a }}]",
    "{% set a | upper %}block{% endset %}{{ a }}",
    "{% set a | upper | replace('B', 'X') %}block{% endset %}{{ a }}",
    "{% set a | replace(name, 'x') %}block Ada{% endset %}{{ a }}",
    "{{ name }}{% set a | replace(name, 'x') %}block Ada{% endset %}{{ a }}",
    "{% set name %}[{{ name }}]{% endset %}{{ name }}",
    "{% set ns = namespace(c=0) %}{% for i in numbers %}{% set ns.c = ns.c + i %}{% endfor %}{{ ns.c }}",
    "{% set ns = namespace() %}{% set ns.a, ns.b = 1, 2 %}{{ ns.a }}{{ ns.b }}{{ ns }}",
    "{% set ns = namespace(a=[]) %}{% set ns.a = ns.a + [ns] %}{{ ns }}",
    "{% set ns = namespace() %}{% set ns.x %}body{% endset %}{{ ns.x }}{{ ns['x'] }}{{ ns.y }}",
    "{% set c = 0 %}{% for i in numbers %}{% set c = c + i %}{{ c }} {% endfor %}{{ c }}",
    "{% for i in numbers %}{% set z = i %}{% endfor %}{{ z }}",
    "{% for i in numbers %}{{ z }}{% set z = i %}{% endfor %}",
    "{% if true %}{% set z = 1 %}{% endif %}{{ z }}",
    "{% if false %}{% set n = 1 %}{% endif %}{{ n }}",
    "{% if false %}{% set z = 1 %}{% elif true %}{% set z = 2 %}{% else %}{% set z = 3 %}{% endif %}{{ z }}",
    "{% for i in [1] %}{% if false %}{% set n = 1 %}{% endif %}{{ n }}{% endfor %}",
    "{% set n = n + 1 %}{{ n }}",
    "{% for i in [1, 2] %}{% set n = n + 1 %}{{ n }} {% endfor %}{{ n }}",
    "{% for n in [1] %}{{ n }}{% endfor %}{{ n }}",
    "{% for items in [1] %}{{ items }}{% endfor %}{{ items }}",
    "{% macro m(a, b=2) %}{{ a }}-{{ b }}{% endmacro %}{{ m(1) }} {{ m(1, 3) }} {{ m(b=5, a=4) }}",
    "{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m() }}",
    "{% macro m(a, b=a) %}{{ b }}{% endmacro %}{{ m(3) }}",
    "{% macro m(a=b, b=1) %}{{ a }}{{ b }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, x=3) }}",
    "{% macro m(a) %}{{ a }}{{ varargs|length }}{% endmacro %}{{ m(1, 2, 3) }}",
    "{% macro m() %}x{% endmacro %}{{ m }} {{ m.name }} {{ m.arguments }} {{ m.caller }}",
    "{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}body{% endcall %}",
    "{% macro m() %}<{{ caller(1, 2) }}>{% endmacro %}{% call(a, b) m() %}{{ a }}{{ b }}{% endcall %}",
    "{% macro m() %}{{ caller('x') }}{% endmacro %}{% call(a, b='d') m() %}{{ a }}{{ b }}{% endcall %}",
    "{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}",
    "{% macro m(caller=none) %}{{ caller is none }}{{ caller() if caller }}{% endmacro %}{{ m() }}"
    "{% call m() %}z{% endcall %}",
    "{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}",
    "{% macro m() %}{{ late }}{% endmacro %}{% set late = 'L' %}{{ m() }}",
    "{% set v = 1 %}{% macro m() %}{{ v }}{% set v = 2 %}{{ v }}{% endmacro %}{{ m() }}{{ v }}",
    "{% macro m() %}{{ name }}{% endmacro %}{% set name = 'N' %}{{ m() }}",
    "{% for i in [1, 2] %}{% macro m() %}{{ i }}{% endmacro %}{{ m() }}{% endfor %}",
    "{% macro outer() %}{% macro inner(x) %}({{ x }}){% endmacro %}{{ inner(1) }}{% endmacro %}{{ outer() }}",
    "{% macro m(x) %}{{ x }}{% endmacro %}{{ m('a') ~ m('b') }}{{ m('a')|upper }}",
    "{% macro m() %}{% for i in numbers %}{{ i }}{% endfor %}{% endmacro %}{% set t = m() %}{{ t|length }}",
    "{% macro m(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m(*[1, 2]) }}{{ m(**{'a': 3, 'b': 4}) }}{{ m(5, *[6]) }}",
    "{% filter upper %}abc {{ name }}{% endfilter %}",
    "{% filter upper|replace('A', 'x') %}abc{% endfilter %}",
    "{% filter indent(2) %}a\nb{% endfilter %}",
    "{% with a = 1, b = n %}{{ a }}{{ b }}{% endwith %}{{ a }}",
    "{% with a = 1 %}{% with b = a %}{{ b }}{% endwith %}{% endwith %}",
    "{% set a = 5 %}{% with a = 1, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}",
    "{% with %}{% set q = 1 %}{{ q }}{% endwith %}{{ q }}",
    "{% with a, b = 1, 2 %}{{ a }}{% endwith %}",
    "{% with (a, b) = (1, 2) %}{{ a }}{{ b }}{% endwith %}",
    "{% raw %}{{ x }} {% if %}{% endraw %}",
    "a {% raw -%}  {{ x }}  {%- endraw %} b",
    "a\n{% raw %}\n x\n {% endraw %}\nb",
    "{# comment #}a{# another\nline #}b",
    "a {#- c -#} b",
    "a\n  {# c #}\nb",
    "a {#+ c +#} \nb",
    "{% print n, name %}",
    "{{ n }}\n{{ name }}\n",
    "a\n\n",
    "a\r\nb\rc\n",
    "\n",
    "",
    "  {% if true %}\n  x\n  {% endif %}\ny",
    "  {{ n }}\n  {{ n }}",
    "a  {%- if true -%}  b  {%- endif -%}  c",
    "a\n  {%+ if true %}\nb{%+ endif +%}\nc",
    "a\n {%- if true %}\n b\n {% endif -%} \n c",
    "{{- n -}}  x  {{- n }}",
    " {{-1}}{{+2}} ",
    "x {% set a = 1 %} y",
    "x\n\t{% set a = 1 %}\n\ty",
    "x\u00a0\n\u3000{% set a = 1 %}\n",
    "{% set a = '{{' %}{{ a }}{{ '}}' }}{{ \"%}\" }}",
    "{{ {'a': {'b': 1}} }}",
    "{{ {'a':{'b':1}}}}",
    "{{ '\n' }}|{{ \"a\r\nb\" }}",
    "{ { % } {a} #} %} }}",
    "{{ [1,\n2,\n\n3] }}",
    "{{ n\n+\n1 }}",
    "{%if n%}a{%endif%}",
    "{%   if   n   %}a{%   endif   %}",
    "{{ messages }}{{ tools }}{{ documents }}{{ add_generation_prompt }}",
    "{{ tools is defined }}{{ tools is none }}",
    "{% set x = cycler('a', 'b') %}{{ x.next() }}{{ x.current }}{{ x.next() }}{{ x.next() }}{{ x.reset() }}{{ x.next() }}",
    "{% set j = joiner(', ') %}{% for i in numbers %}{{ j() }}{{ i }}{% endfor %}",
    "{% set g = numbers|map('string') %}{{ g|list }}{{ g|list }}",
    "{% for i in numbers|map('string') %}{{ i }}{{ loop.last }}{{ loop.length }} {% endfor %}",
    "{% for g in people|groupby('age') %}{{ g.grouper }}:{{ g.list|length }};{% endfor %}",
    "{% for age, members in people|groupby('age') %}{{ age }}:{{ members|map(attribute='name')|join(',') }};{% endfor %}",
    "{% for row in numbers|batch(2) %}{{ row }}{% endfor %}",
    "{% set ns = namespace(seen=[]) %}{% for i in [1, 1, 2] if i not in ns.seen %}{% set ns.seen = ns.seen + [i] %}{{ i }}{% endfor %}",
    "{{ 'a' if true }}{{ 'a' if false }}|",
    "{% if false %}{{ n|nope }}{% endif %}ok",
    "{{ 'a' if true else n|nope }}",
    "{% if n is nope %}{% endif %}",
    "a{% generation %}b{{ n }}{% endgeneration %}c",
    "{% generation %}first{% endgeneration %}x{% generation %}second{% endgeneration %}",
    "{% for m in ['é', 'b'] %}<{{ m }}>{% generation %}{{ m }}!{% endgeneration %}\n{% endfor %}",
    "x{% generation %}{% set q = 1 %}{{ q }}{% endgeneration %}{{ q }}",
    "{% set ns = namespace(a=1) %}x{% generation %}{% set ns.a = 2 %}{% endgeneration %}{{ ns.a }}",
    "{{ n }}{% set n %}{{ n }}!{% endset %}{{ n }}",
    "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}B{% endmacro %}{{ a() }}",
    "{% set f = numbers.index %}{{ f(1) }}{{ numbers.count(1) }}",
    "{{ user.items()|length }}{{ user.keys()|first }}{{ 'name' in user.keys() }}{{ ('age', 45) in user.items() }}",
    "{% for x in user.tags %}{% for y in user.tags %}{{ x }}{{ y }}{% if loop.last %}.{% endif %}{% endfor %}{% if loop.last %}!{% endif %}{% endfor %}",
    "{% for i in range(3) %}{% if loop.first %}F{% elif loop.last %}L{% else %}M{% endif %}{% endfor %}",
    "{% for i in range(2) %}{% with k = loop.index %}{{ k }}{% endwith %}{% endfor %}",
    "{% set a = [1] %}{% set b = a %}{{ a is sameas b }}{{ a is sameas [1] }}",
    "{{ strftime_now('%d %b %Y') if strftime_now is defined }}",
    "{#",
    "a{% raw %}",
    "{% set _x = 1 %}{{ _x }}",
    "{% set été = 'summer' %}{{ été }}",
    "{% set loop = 1 %}{{ loop }}",
    "{{ n if n else 'z' }}{{ (n if n else 'z')|string|length }}",
    "{% for i in numbers|sort %}{{ i }}{% endfor %}{% for i in numbers|reverse %}{{ i }}{% endfor %}",
    "{% call raise_exception('x') %}{% endcall %}",
    "{% for m in messages %}{% endfor %}{{ loop }}",
    "{% set s = 'x' %}{% for i in [1,2] %}{% set s = s ~ i %}{{ s }}{% endfor %}{{ s }}",
    "{%- set a = 1 -%}\n\n  {{ a }}",
    "line1\n    {%- if true %} inline{% endif %}\nline2",
    "{% if true -%}\n  a\n{%- endif %}\n",
    "{% if true %}\n\n\na{% endif %}\n\n\n",
    "{{ '%s' % missing }}|{{ 'abc' % missing }}",
    "{{ {'a': 1}.a }}{{ {'a': 1}['a'] }}{{ {'keys': 1}.keys is callable }}{{ {'keys': 1}['keys'] }}",
    "{% set d = {'x': 1} %}{{ dict(d, y=2) }}{{ dict(d, **{'z': 3}) }}",
    "{{ [1, 2, 3][1:]|first }}{{ 'abc'[1:]|upper }}{{ (1, 2)[0] }}{{ 'abc'[-2:][0] }}",
    "{{ not n == 7 }}{{ not (n == 7) }}{{ n == 7 and not no }}",
    "{{ 1 if n else 2 if no else 3 }}{{ (1, 2) if n else 3 }}",
    "{{ n is defined and n > 5 }}{{ missing is defined and missing > 5 }}",
    "{{ -n|abs }}{{ (-n)|abs }}{{ -n ** 2 }}{{ 2 + -n }}",
    "{{ text.split(' ')[1].lower()[0:2] }}{{ (text ~ '!').upper()|length }}",
    "{{ user['name'].upper() }}{{ user.name[0] }}{{ user.tags|join(', ')|upper }}",
]

# What jinja2 raises on.
ERRORS = r"""
{{ missing.x }}
{{ missing['x'] }}
{{ user.nope.x }}
{{ missing + 1 }}
{{ 1 + missing }}
{{ 'a' + missing }}
{{ missing() }}
{{ -missing }}
{{ missing < 1 }}
{{ missing|int }}
{{ missing|float }}
{{ missing[1:] }}
{{ 'a' + 1 }}
{{ 1 + 'a' }}
{{ 1 + none }}
{{ 'a' - 'b' }}
{{ [1] - [1] }}
{{ 'a' < 1 }}
{{ none < 1 }}
{{ [1] < ['a'] }}
{{ {} < {} }}
{{ 1 / 0 }}
{{ 1 // 0 }}
{{ 1 % 0 }}
{{ 1.5 % 0 }}
{{ 0 ** -1 }}
{{ 1 in 2 }}
{{ 1 in 'abc' }}
{{ 1 in none }}
{{ [] in {} }}
{{ {[]: 1} }}
{{ n() }}
{{ text() }}
{{ none() }}
{{ n|length }}
{{ none|length }}
{{ n|list }}
{{ n|first }}
{{ n|join }}
{{ n|sort }}
{{ mixed|sort }}
{{ mixed|min }}
{{ words|sum }}
{{ none|abs }}
{{ text|abs }}
{{ text|round }}
{{ n|round(0, 'up') }}
{{ none|indent }}
{{ n|indent }}
{{ numbers|dictsort }}
{{ user|dictsort(by='x') }}
{{ numbers|items|list }}
{{ numbers|map('nope')|list }}
{{ numbers|map|list }}
{{ numbers|map(attribute='x', y=1)|list }}
{{ numbers|select('nope')|list }}
{{ numbers|selectattr|list }}
{{ numbers|slice(0)|list }}
{{ numbers|slice('a')|list }}
{{ n|batch(2)|list }}
{{ (numbers|map('string'))|length }}
{{ (numbers|map('string'))|last }}
{{ [[1]]|unique|list }}
{{ missing|tojson }}
{{ namespace()|tojson }}
{{ range(3)|tojson }}
{{ user.items()|tojson }}
{{ {(1, 2): 3}|tojson }}
{{ {1: 1, 'a': 2}|tojson(sort_keys=true) }}
{{ '%d' % 'a' }}
{{ '%s %s' % 'a' }}
{{ '%s' % (1, 2) }}
{{ '%(a)s' % 1 }}
{{ '%(a)s' % {'b': 1} }}
{{ '%y' % 1 }}
{{ '%' % 1 }}
{{ '%x' % 1.5 }}
{{ 'abc' % 1 }}
{{ '{}'.format() }}
{{ '{x}'.format() }}
{{ '{'.format() }}
{{ '}'.format() }}
{{ '{} {0}'.format(1) }}
{{ '{:d}'.format('a') }}
{{ '{:>3}'.format(none) }}
{{ '{:.2d}'.format(1) }}
{{ '{!x}'.format(1) }}
{{ text.index('zz') }}
{{ numbers.index(99) }}
{{ text.split('') }}
{{ text.partition('') }}
{{ text.join([1]) }}
{{ text.replace('a') }}
{{ text.replace(1, 2) }}
{{ text.strip(1) }}
{{ text.upper(1) }}
{{ text.startswith(1) }}
{{ text.startswith(['H']) }}
{{ text.center(5, 'ab') }}
{{ text.nope() }}
{{ numbers.append(1) }}
{{ numbers.pop() }}
{{ numbers.sort() }}
{{ user.update({'a': 1}) }}
{{ user.pop('name') }}
{{ user.setdefault('x', 1) }}
{{ user.get() }}
{{ user.get([]) }}
{{ ''.__class__() }}
{{ text.__len__() }}
{{ range() }}
{{ range(100001) }}
{{ range(10 ** 12) }}
{{ range(1, 2, 0) }}
{{ range('a') }}
{{ text[::0] }}
{{ text['a':] }}
{{ user[1:] }}
{{ n[1:] }}
{{ raise_exception('stop') }}
{{ raise_exception() }}
{{ dict(1) }}
{{ dict([1]) }}
{{ cycler() }}
{{ namespace(1) }}
{{ loop.index }}
{{ caller() }}
{{ n|nope }}
{{ n is nope }}
{{ n|upper(1) }}
{{ n|default(1, 2, 3) }}
{{ n|default(nope=1) }}
{{ n|replace('a') }}
{{ 'a'|truncate(1) }}
{{ n|attr }}
{{ n is divisibleby }}
{{ n is divisibleby 0 }}
{{ text is odd }}
{{ n is in }}
{{ n is in 5 }}
{{ n is lt 'a' }}
{{ f(a=1, a=2) }}
{{ f(a=1, 2) }}
{{ f(**user, 1) }}
{{ text.upper(**1) }}
{{ text.upper(*1) }}
{{ range(*[1, 2], **{'x': 1}) }}
{{ }}
{{ 1 +
{{ 1 + }}
{{ (1 }}
{{ 1) }}
{{ [1 }}
{{ {'a' 1} }}
{{ {'a': } }}
{{ 'abc }}
{{ "abc' }}
{{ a b }}
{{ a. }}
{{ a.'b' }}
{{ a[1 }}
{{ a[1:2, 3] }}
{{ 1 if }}
{{ if x }}
{{ 'a' if true else }}
{{ a | }}
{{ a is }}
{{ a is b is c }}
{{ a ! b }}
{{ a $ b }}
{{ a = b }}
{{ a ? b }}
{{ a & b }}
{{ '\x4' }}
{{ '\u12' }}
{{ '\U11111111' }}
{{ '\ud800' }}
{{ not }}
{{ 1 not 2 }}
{{ 01 }}
{{ 1__0 }}
{{ 1a }}
{{ true = 1 }}
{% set true = 1 %}
{% set none = 1 %}
{% set a.b = 1 %}
{% set user.b = 1 %}
{% set missing.b = 1 %}
{% set 1 = 2 %}
{% set a + b = 2 %}
{% set a[0] = 2 %}
{% set a, b = 1 %}
{% set a, b = [1, 2, 3] %}
{% set a, b = [1] %}
{% set a = %}
{% set %}
{% set a %}x
{% if %}x{% endif %}
{% if n %}x
{% if n %}x{% else %}y
{% if n %}x{% endfor %}
{% elif n %}
{% else %}
{% endif %}
{% endfor %}
{% for %}{% endfor %}
{% for i %}{% endfor %}
{% for i in %}{% endfor %}
{% for i in numbers %}
{% for 1 in numbers %}{% endfor %}
{% for a, b in numbers %}{% endfor %}
{% for i in n %}{% endfor %}
{% for i in none %}{% endfor %}
{% for loop in numbers %}{% endfor %}
{% for i in numbers %}{% set loop = 1 %}{% endfor %}
{% for i in numbers %}{{ loop(i) }}{% endfor %}
{% for i in numbers %}{{ loop.cycle() }}{% endfor %}
{% for i in numbers %}{{ loop.nope.x }}{% endfor %}
{% for i in numbers if loop.first %}{{ i }}{% endfor %}
{% break %}
{% continue %}
{% for i in numbers %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}
{% for i in numbers %}{% call m() %}{% break %}{% endcall %}{% endfor %}
{% for i in numbers %}{% generation %}{% break %}{% endgeneration %}{% endfor %}
{% for i in [] %}{% else %}{% break %}{% endfor %}
{% for i in numbers recursive %}{% else %}{% break %}{% endfor %}
{% macro m %}{% endmacro %}
{% macro m( %}{% endmacro %}
{% macro m(a=1, b) %}{% endmacro %}
{% macro m(a, a) %}{% endmacro %}
{% macro m(1) %}{% endmacro %}
{% macro m() %}
{% macro m() %}{% endmacro %}{{ m(1) }}
{% macro m() %}{% endmacro %}{{ m(x=1) }}
{% macro m(a) %}{% endmacro %}{{ m(1, a=2) }}
{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}
{% macro m() %}x{% endmacro %}{% call m() %}y{% endcall %}
{% macro m(caller) %}{{ caller() }}{% endmacro %}{{ m() }}
{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}
{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}
{% macro m() %}{{ caller(1) }}{% endmacro %}{% call m() %}{% endcall %}
{% call n %}{% endcall %}
{% call m() %}
{% call missing() %}{% endcall %}
{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}
{% filter %}{% endfilter %}
{% filter nope %}{% endfilter %}
{% filter upper %}
{% with a %}{% endwith %}
{% with a = 1 b = 2 %}{% endwith %}
{% with a = 1 %}
{% raw %}x
{# x
{% nope %}
{% endraw %}
{% do 1 %}
{% include 'a' %}
{% import 'a' as b %}
{% from 'a' import b %}
{% extends 'a' %}
{% generation %}x
{% endgeneration %}
{% 1 %}
{% %}
{%
{{
{% if n %}{{
{% print %}{{ x
{{ 'a' 'b }}
{% for i in numbers %}{{ i }}{% endfor
{% set ns = namespace() %}{{ ns.a.b }}
{% set ns = namespace() %}{{ ns() }}
{% set ns = namespace() %}{% for x in ns %}{% endfor %}
{% set ns = namespace(a=1) %}{{ ns.a.b.c }}
{% set a = joiner() %}{{ a(1) }}
{{ text|default(**1) }}
{{ (1).x.y }}
{{ people|sort(attribute='city') }}
{{ people|map(attribute='city.x')|list }}
{{ people|groupby('city') }}
{{ people|sum(attribute='name') }}
{{ 'nan'|float|int|nope }}
{{ 1e400|int }}
{{ 'a'|format('b') }}
{{ 'a%s'|format('b', c=1) }}
{{ numbers[{}] }}{{ missing.x }}
{{ user|xmlattr }}{{ {'a b': 1}|xmlattr }}
{{ [1, 2]|join(attribute='x.y') }}
{{ strftime_now() }}
""".strip().split("\n")


def make():
    cases = []
    for group, templates in (
        ("expression", ["{{ " + e + " }}" for e in EXPRESSIONS]),
        ("filter", ["{{ " + e + " }}" for e in FILTERS]),
        ("test", ["{{ " + e + " }}" for e in TESTS]),
        ("statement", STATEMENTS),
        ("error", ERRORS),
    ):
        for i, template in enumerate(templates):
            cases.append({"name": f"{group} {i}", "template": template})
    return cases
