import { describe, expect, it } from 'vitest'
import { reopeningOf, stepsOf } from './next-steps.ts'

const pending = {
  kind: 'rotation',
  status: 'pending',
  basis: 'root',
  version: 2,
  cosignatures: 0,
  contestedAt: null,
  approvedAt: null,
} as const

describe('a pending rotation', () => {
  it.each([
    ['of the root key alone', {}, 'svc rotate cosign', 'To stop it: svc rotate veto'],
    ['that is co-signed', { cosignatures: 1 }, 'svc rotate activate', 'svc rotate veto, on a device'],
    [
      'of words and root key',
      { basis: 'full' },
      'svc rotate activate',
      'To delay it once: svc rotate veto --words FILE',
    ],
    ['that was delayed', { basis: 'full', contestedAt: 1 }, 'svc rotate activate', 'cannot be done again'],
    ['of words alone', { basis: 'successor' }, 'svc rotate activate', 'svc rotate veto, with the root key'],
    [
      'of other sheets',
      { basis: 'replacement', cosignatures: 1 },
      'svc rotate activate',
      'svc rotate veto --words FILE',
    ],
    ['for the operator', { basis: 'full', version: 1 }, 'the operator approves it', 'until then: svc rotate veto'],
    ['that is approved', { version: 1, approvedAt: 1 }, 'svc rotate activate', 'nobody can stop it'],
  ] as const)('%s names the next step, and who can stop it', (_, changes, next, stop) => {
    const text = stepsOf({ ...pending, ...changes }).join('\n')
    expect(text).toContain(next)
    expect(text).toContain(stop)
  })

  it('with words asks for no co-signature and no veto that core would refuse', () => {
    for (const basis of ['full', 'successor', 'replacement'] as const)
      expect(stepsOf({ ...pending, basis }).join('\n')).not.toContain('svc rotate cosign')
    for (const basis of ['full', 'replacement'] as const)
      expect(stepsOf({ ...pending, basis }).join('\n')).not.toMatch(/svc rotate veto(?! --words)/)
  })
})

describe('a rotation that ended', () => {
  it.each([
    ['frozen', {}, 'a device can open it again'],
    ['cancelled', { basis: 'full' }, 'a device can open it again'],
    ['frozen', { version: 1 }, 'the operator can open it again'],
    ['frozen', { cosignatures: 1 }, 'it can never be activated'],
    ['frozen', { basis: 'successor' }, 'it can never be activated'],
  ] as const)('as %s says who can open it again', (status, changes, said) => {
    const ended = { ...pending, status, ...changes }
    expect(stepsOf(ended)).toEqual([])
    expect(reopeningOf(ended)).toContain(said)
  })

  it('is told from one that goes on', () => {
    for (const status of ['pending', 'active'] as const) expect(reopeningOf({ ...pending, status })).toBe('')
  })
})
