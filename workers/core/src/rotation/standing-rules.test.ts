import { describe, expect, it } from 'vitest'
import { decideDeactivation, hasCosignStanding, hasStanding, needsCosigner, type Span } from './rules.ts'

/** window < contest < standing, as in production, in small numbers. */
const TIMES = { windowMs: 10, contestMs: 70, standingMs: 300 }
const NOW = 1_000
const span = (since: number, until: number | null = null, cosigns = true): Span => ({ since, until, cosigns })

describe('standing', () => {
  it.each<[string, Span[], boolean]>([
    ['no device', [], false],
    ['one that is active for a window', [span(990)], true],
    ['one that is active for a millisecond less', [span(991)], false],
    ['one that was lost a moment ago', [span(900, 999)], true],
    ['one that was lost less than 30 days ago', [span(0, 701)], true],
    ['one that was lost 30 days ago', [span(0, 700)], false],
    ['one that was lost before a window was over', [span(985, 994)], false],
    ['one that was attested anew a moment ago', [span(0, 998), span(998)], true],
    ['one that was attested anew after its standing had ended', [span(0, 600), span(998)], false],
  ])('of %s', (_, spans, expected) => {
    expect(hasStanding(spans, NOW, TIMES)).toBe(expected)
    expect(hasCosignStanding(spans, NOW, TIMES)).toBe(expected)
    expect(
      hasCosignStanding(
        spans.map((one) => ({ ...one, cosigns: false })),
        NOW,
        TIMES,
      ),
    ).toBe(false)
  })

  it('to co-sign is kept by a device that lost the capability, and won a window after it is given', () => {
    expect(hasCosignStanding([span(0, 900, true), span(900, null, false)], NOW, TIMES)).toBe(true)
    expect(hasCosignStanding([span(0, 991, false), span(991, null, true)], NOW, TIMES)).toBe(false)
    expect(hasCosignStanding([span(0, 990, false), span(990, null, true)], NOW, TIMES)).toBe(true)
  })
})

describe('needsCosigner', () => {
  it.each<[string, Span[][], boolean]>([
    ['no device', [], false],
    ['a device that may not co-sign', [[span(0, null, false)]], false],
    ['a device that could for a window', [[span(990)]], true],
    ['a device that could for less', [[span(991)]], false],
    ['one lost less than a window ago', [[span(0, 991)]], true],
    ['one lost a window ago, which still has standing', [[span(0, 990)]], false],
    ['one lost before it counted', [[span(985, 994)]], false],
    ['an old and a new one', [[span(999)], [span(0)]], true],
  ])('with %s', (_, devices, expected) => {
    expect(needsCosigner(devices, NOW, TIMES)).toBe(expected)
  })
})

const cosigned = { cosigners: ['a'], approvedAt: null }
const approved = { cosigners: [], approvedAt: 1 }
const plain = { cosigners: [], approvedAt: null }

describe('a deactivation', () => {
  const decide = (pending: Parameters<typeof decideDeactivation>[0], ...devices: Span[][]) =>
    decideDeactivation(pending, devices, NOW, TIMES)

  it('waits while a device has standing', () => {
    expect(decide(null, [span(0, 800, false)])).toBe('waits')
    expect(decide(cosigned, [span(0)])).toBe('waits')
  })

  it('takes effect at once without one, unless it would overtake', () => {
    expect([decide(null), decide(plain, [span(999)])]).toEqual(['at_once', 'at_once'])
    expect([decide(cosigned), decide(approved)]).toEqual(['overtakes', 'overtakes'])
  })

  it('waits under a hold, whatever is pending', () => {
    for (const pending of [null, plain, cosigned, approved]) {
      expect(decideDeactivation(pending, [], NOW, TIMES, true)).toBe('waits')
    }
  })
})
