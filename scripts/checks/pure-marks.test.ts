import { describe, expect, it } from 'vitest'
import { unmarkedConstants } from './pure-marks.ts'

const FILE = 'packages/protocol/src/base/a.ts'
const unmarked = (source: string, file = FILE) => unmarkedConstants(file, source).map((line) => line.split(' ')[1])

describe('the mark of a constant that bundlers may leave out', () => {
  it('is missed where a call makes the constant', () => {
    expect(
      unmarked('export const a = z.string().max(3)\nconst b = [f(1)] as const\nconst c = { d: new Set() }'),
    ).toEqual(['a', 'b', 'c'])
  })

  it('is needed on the outermost call alone, and on nothing that is called later', () => {
    const marked = 'const a = /* @__PURE__ */ pure(() => z.string().max(3))\nexport const b: B = /* @__PURE__ */ f()'
    expect(unmarked(`${marked}\nconst c = (x) => f(x)\nlet d = f()\nconst e = await f()\nconst g = 5`)).toEqual([])
  })

  it('is for packages that get into pages', () => {
    for (const file of ['packages/cli/src/a.ts', 'packages/protocol/src/a.test.ts', 'workers/core/src/a.ts'])
      expect(unmarked('const a = f()', file)).toEqual([])
  })
})
