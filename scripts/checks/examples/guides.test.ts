import { expect, it } from 'vitest'
import { describeProgramsOf, isGuide } from './programs.fixture.ts'

it('knows a guide', () => {
  expect(isGuide('workers/docs/pages/developer/notes-on-two-devices.md')).toBe(true)
  expect(isGuide('workers/docs/pages/developer/notes.md')).toBe(false)
})

describeProgramsOf(isGuide)
