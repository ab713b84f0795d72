import { describe, expect, it } from 'vitest'
import { importsOf } from './imports.ts'

const targets = (source: string) => importsOf('workers/core/src/routes/a.ts', source).map(({ target }) => target)

describe('importsOf', () => {
  it('resolves relative specifiers against the file', () =>
    expect(targets("import { a } from '../notes/notes-store.ts'")).toEqual(['workers/core/src/notes/notes-store.ts']))

  it('reads re-exports, side effects, dynamic imports and imports over several lines', () =>
    expect(targets("export * from 'a'\nimport 'b'\nconst c = await import('c')\nimport {\n  d,\n} from 'd'")).toEqual([
      'a',
      'b',
      'd',
      'c',
    ]))

  it('tells types from what is loaded at run time', () =>
    expect(
      importsOf('a.ts', "import type { A } from 'a'\nimport { type B } from 'b'\ntype C = typeof import('c')"),
    ).toEqual([
      { specifier: 'a', target: 'a', typeOnly: true },
      { specifier: 'b', target: 'b', typeOnly: false },
      { specifier: 'c', target: 'c', typeOnly: true },
    ]))

  it('leaves comments alone', () => expect(targets("// import 'a'\n/** import('b') */\n * from 'c'")).toEqual([]))
})
