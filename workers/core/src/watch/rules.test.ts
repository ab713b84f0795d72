import { describe, expect, it } from 'vitest'
import { hasRoom, mayWithdraw, type WatchToken, works } from './rules.ts'

const STANDING_MS = 300
const token = (changes: Partial<WatchToken> = {}): WatchToken => ({
  tokenHash: 'a7'.repeat(48),
  madeBy: 'root',
  epoch: 0,
  madeAt: 0,
  withdrawnAt: null,
  ...changes,
})

describe('a watch token', () => {
  it('works until it is withdrawn, and after that for as long as standing lasts', () => {
    expect(works(token(), 1e15, STANDING_MS)).toBe(true)
    expect(works(token({ withdrawnAt: 5 }), 304, STANDING_MS)).toBe(true)
    expect(works(token({ withdrawnAt: 5 }), 305, STANDING_MS)).toBe(false)
  })

  it('is withdrawn by the root key, and by the device that made it', () => {
    expect(mayWithdraw(token(), null)).toBe(true)
    expect(mayWithdraw(token({ madeBy: 'phone' }), null)).toBe(true)
    expect(mayWithdraw(token({ madeBy: 'phone' }), 'phone')).toBe(true)
    expect(mayWithdraw(token({ madeBy: 'phone' }), 'laptop')).toBe(false)
    expect(mayWithdraw(token(), 'phone')).toBe(false)
  })
})

describe('the number of tokens', () => {
  const full = [
    ...Array.from({ length: 16 }, () => token()),
    ...Array.from({ length: 2 }, () => token({ madeBy: 'phone' })),
  ]

  it('is limited per key, so that no key uses up the limit of another', () => {
    expect(hasRoom(full, token())).toBe(false)
    expect(hasRoom(full, token({ madeBy: 'phone' }))).toBe(false)
    expect(hasRoom(full, token({ madeBy: 'laptop' }))).toBe(true)
    expect(hasRoom(full.slice(1), token())).toBe(true)
  })

  it('is limited per epoch, and includes withdrawn tokens', () => {
    expect(hasRoom(full, token({ epoch: 1 }))).toBe(true)
    expect(hasRoom([...full.slice(1), token({ withdrawnAt: 1 })], token())).toBe(false)
  })
})
