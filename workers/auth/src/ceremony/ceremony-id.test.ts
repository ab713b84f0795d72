import { describe, expect, it } from 'vitest'
import { isCeremonyId, mintCeremonyId } from './ceremony-id.ts'

const key = new Uint8Array(32).fill(1)

describe('ceremony ids', () => {
  it('are known again, and no two are alike', () => {
    const ids = Array.from({ length: 100 }, () => mintCeremonyId(key, 'login'))
    expect(new Set(ids).size).toBe(100)
    expect(ids.every((id) => /^[A-Za-z0-9_-]{43}$/.test(id) && isCeremonyId(key, 'login', id))).toBe(true)
  })

  it('are of one kind and of one deployment', () => {
    const id = mintCeremonyId(key, 'login')
    expect(isCeremonyId(key, 'grant', id)).toBe(false)
    expect(isCeremonyId(key, 'passkey-login', id)).toBe(false)
    expect(isCeremonyId(new Uint8Array(32), 'login', id)).toBe(false)
  })

  it('are not known with any character changed', () => {
    const id = mintCeremonyId(key, 'login')
    for (let i = 0; i < 42; i += 1) {
      const changed = id.slice(0, i) + (id[i] === 'A' ? 'B' : 'A') + id.slice(i + 1)
      expect(isCeremonyId(key, 'login', changed), String(i)).toBe(false)
    }
  })

  it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(42), `${'A'.repeat(43)}=`, 'é'.repeat(43)])(
    'are not made up: %j',
    (id) => {
      expect(isCeremonyId(key, 'login', id)).toBe(false)
    },
  )
})
