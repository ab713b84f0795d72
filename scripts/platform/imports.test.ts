import { describe, expect, it } from 'vitest'
import { importsOf } from './imports.ts'

const targets = (source: string) => importsOf('workers/core/src/routes/a.ts', source).map(({ target }) => target)

describe('importsOf', () => {
  it('resolves relative specifiers against the file', () =>
    expect(targets("import { a } from '../notes/notes-store.ts'")).toEqual(['workers/core/src/notes/notes-store.ts']))

  it('knows which workspace package a published one means by #', () =>
    expect(targets("import { a } from '#protocol/base/hash'\nimport { b } from '#pqc'")).toEqual([
      '@svc/protocol/base/hash',
      '@svc/pqc',
    ]))

  it('reads re-exports, side effects, dynamic imports and imports over several lines', () =>
    expect(
      targets(
        "export * from 'a'\nimport 'b'\nconst c = await import('c')\nimport {\n  d,\n} from 'd'\nexport { e } from 'e'",
      ),
    ).toEqual(['a', 'b', 'c', 'd', 'e']))

  it('separates types from what is loaded at run time', () =>
    expect(
      importsOf(
        'a.ts',
        [
          "import type { A } from 'a'",
          "import { type B } from 'b'",
          "type C = typeof import('c')",
          "type D = import('d').D",
          "export type { E } from 'e'",
          "export type * from 'f'",
          "import type from 'g'",
        ].join('\n'),
      ).map(({ specifier, typeOnly }) => [specifier, typeOnly]),
    ).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
      ['d', true],
      ['e', true],
      ['f', true],
      ['g', false],
    ]))

  it('ignores comments and strings', () =>
    expect(
      targets("// import 'a'\n/** import('b') */\nconst text = \"import 'c'\"\nconst d = `\nimport 'd'\n`"),
    ).toEqual([]))

  it('rejects a file that it cannot parse', () =>
    expect(() => targets('import {')).toThrow('workers/core/src/routes/a.ts: '))
})
