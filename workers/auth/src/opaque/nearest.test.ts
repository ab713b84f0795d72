import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { nearestOf } from './nearest.ts'

const hashOf = (version: number, name: string) => bytesToHex(sha256(utf8ToBytes(`${version} ${name}`)))
const VERSIONS = [2, 1]

/** Which version each account is under. */
type Accounts = Map<string, number>

function shownOf(accounts: Accounts, identifier: string): number {
  const names = VERSIONS.map((version) => hashOf(version, identifier))
  const next = VERSIONS.map((version, index) => {
    const hashes: string[] = [...accounts].filter(([, at]) => at === version).map(([name]) => hashOf(version, name))
    const sorted = hashes.toSorted((left, right) => (left < right ? -1 : 1))
    return sorted.find((hash) => hash >= (names[index] ?? '')) ?? sorted[0] ?? null
  })
  return VERSIONS[nearestOf(names, next)] ?? 0
}

const accountsOf = (count: number, moved: number): Accounts =>
  new Map(Array.from({ length: count }, (_, i) => [`account ${i}`, i < moved ? 2 : 1]))
const strangers = Array.from({ length: 120 }, (_, i) => `stranger ${i}`)

describe('an identifier', () => {
  it('with a record is under the version of that record', () => {
    const accounts = accountsOf(60, 30)
    for (const [name, version] of accounts) expect(shownOf(accounts, name)).toBe(version)
  })

  it('without one is under a version as often as accounts are', () => {
    for (const [moved, least, most] of [
      [0, 0, 0],
      [20, 8, 48],
      [50, 36, 84],
      [100, 120, 120],
    ] as const) {
      const accounts = accountsOf(100, moved)
      const newest = strangers.filter((name) => shownOf(accounts, name) === 2).length
      expect(newest).toBeGreaterThanOrEqual(least)
      expect(newest).toBeLessThanOrEqual(most)
    }
  })

  it('without one never goes back while accounts move and new ones come', () => {
    const accounts = accountsOf(20, 0)
    let shown = strangers.map((name) => shownOf(accounts, name))
    for (const step of Array.from({ length: 20 }, (_, i) => i)) {
      accounts.set(step % 4 === 0 ? `new ${step}` : `account ${step}`, 2)
      const now = strangers.map((name) => shownOf(accounts, name))
      expect(now.every((version, i) => version >= (shown[i] ?? 0))).toBe(true)
      shown = now
    }
  })

  it('is under the newest where there is no record, and around the end under the first one', () => {
    expect(nearestOf(['aa'.repeat(32), 'bb'.repeat(32)], [null, null])).toBe(0)
    expect(nearestOf(['ff'.repeat(32), '10'.repeat(32)], ['01'.repeat(32), '20'.repeat(32)])).toBe(0)
    expect(nearestOf(['ff'.repeat(32), '10'.repeat(32)], ['01'.repeat(32), '11'.repeat(32)])).toBe(1)
  })
})
