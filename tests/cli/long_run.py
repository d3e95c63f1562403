"""What the tests of runs that are cut share: enough work for several batches, and the bytes of a folder of results."""

import random

from program import ProgramTest, same_bytes

WORDS = 'Where was the author born In a small town near river'.split()


class LongRunTest(ProgramTest):
    def questions(self, name, count, seed):
        """Several batches of work for the example model."""
        draw = random.Random(seed)

        def words():
            return ' '.join(draw.choice(WORDS) for _ in range(draw.randint(8, 11)))

        self.write(name, *(f'{{"question": "{words()}", "answer": "{words()}"}}' for _ in range(count)))
        return name

    def files(self, folder):
        return {path.relative_to(self.folder / folder): same_bytes(path)
                for path in (self.folder / folder).rglob('*') if path.is_file()}

    def check_results(self, folder, expected):
        """The files of the folder are those that files() gave; run records and pages tell how long it took."""
        found = self.files(folder)
        self.assertEqual(found.keys(), expected.keys())
        for path, content in expected.items():
            if not path.name.endswith('_RUN.json') and path.suffix != '.html':
                self.assertEqual(found[path], content, path)
