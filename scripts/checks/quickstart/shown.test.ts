import { expect, it } from 'vitest'
import { faultsOf } from './shown.ts'

const did = `did:svc:${'A'.repeat(32)}`

it('accepts what differs between runs', () => {
  const shown = `You are did:svc:${'x'.repeat(32)}\nhash 0123456789abcdef…\nbuilt (1.2 s)`
  expect(faultsOf(shown, `You are ${did}\nhash ${'f'.repeat(96)}\n\nbuilt (46.0 s)\n`, true)).toEqual([])
})

it('reports a line that is missing, out of order, or not shown', () => {
  expect(faultsOf('one\ntwo', 'two\none', true)).toEqual(['two'])
  expect(faultsOf('one (a)', 'one .a.', true)).toEqual(['one (a)'])
  expect(faultsOf('one', 'one\ntwo', true)).toEqual(['2 lines instead of 1'])
  expect(faultsOf('one\n…', 'one\ntwo', true)).toEqual([])
  expect(faultsOf('one', 'one\ntwo', false)).toEqual([])
})
