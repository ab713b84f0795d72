import { describe, expect, it } from 'vitest'
import { seed, UnusableFault } from './locate.ts'

const SOURCES = [
  { path: 'a.ts', text: 'if (held)\n    return no(\n  1)\nreturn yes()\n' },
  { path: 'b.ts', text: 'return yes()\nconst price = [a]$&\n' },
]

describe('seed', () => {
  it('replaces the text, whatever its line breaks', () => {
    const fault = { id: 'x', find: 'if (held) return no( 1)', replace: '' }
    expect(seed(fault, SOURCES)).toEqual({ path: 'a.ts', original: SOURCES[0]?.text, changed: '\nreturn yes()\n' })
  })

  it('takes text literally in both places', () => {
    const fault = { id: 'x', find: '[a]$&', replace: '$& $1' }
    expect(seed(fault, SOURCES)).toMatchObject({ changed: 'return yes()\nconst price = $& $1\n' })
  })

  it('refuses text that is missing, ambiguous, or stays as it is', () => {
    const refused = (find: string, replace = '') => expect(() => seed({ id: 'x', find, replace }, SOURCES))
    refused('gone').toThrow(UnusableFault)
    refused('gone').toThrow('x: its text is not in the sources')
    refused('return yes()').toThrow('x: its text occurs 2 times (a.ts, b.ts)')
    refused('price', 'price').toThrow('x: it changes nothing')
  })

  it('looks only where the path matches', () => {
    const fault = { id: 'x', find: 'return yes()', replace: 'return no()', in: /^b/ }
    expect(seed(fault, SOURCES).path).toBe('b.ts')
  })
})
