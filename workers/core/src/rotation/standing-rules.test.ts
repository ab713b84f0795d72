import { describe, expect, it } from 'vitest'
import { decideDeactivation } from './rules.ts'
import {
  countsAt,
  hasCosignStanding,
  hasStanding,
  needsCosigner,
  type Span,
  type Wait,
  waitOf,
  waitsUntil,
} from './standing-rules.ts'

/** window < contest < standing, as in production, in small numbers. */
const TIMES = { windowMs: 10, contestMs: 70, standingMs: 300 }
const NOW = 1_000
const span = (since: number, until: number | null = null, cosigns = true): Span => ({
  since,
  until,
  cosigns,
  wait: 'window',
})
const late = (since: number, until: number | null = null): Span => ({ ...span(since, until), wait: 'standing' })

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
    ['a device without an agreement, after 30 days', [late(700)], true],
    ['a device without an agreement, a millisecond earlier', [late(701)], false],
    ['a device without an agreement, lost before the 30 days were over', [late(500, 799)], false],
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

  it('to co-sign is kept by a device that lost the capability, and gained a window after it is granted', () => {
    expect(hasCosignStanding([span(0, 900, true), span(900, null, false)], NOW, TIMES)).toBe(true)
    expect(hasCosignStanding([span(0, 991, false), span(991, null, true)], NOW, TIMES)).toBe(false)
    expect(hasCosignStanding([span(0, 990, false), span(990, null, true)], NOW, TIMES)).toBe(true)
  })
})

describe('waitOf', () => {
  const attested = { isAttestation: true, isAgreed: false, own: [], others: [] }
  const changed = { ...attested, isAttestation: false }
  it.each<[string, Parameters<typeof waitOf>[0], Wait]>([
    ['attested while no device is there', attested, 'window'],
    ['attested while none has standing', { ...attested, others: [[span(991)], [late(701)]] }, 'window'],
    ['attested while another has standing', { ...attested, others: [[span(991)], [span(990)]] }, 'standing'],
    ['attested while one that was lost has standing', { ...attested, others: [[span(0, 701)]] }, 'standing'],
    ['attested once that has ended', { ...attested, others: [[span(0, 700)]] }, 'window'],
    ['attested with agreement', { ...attested, isAgreed: true, others: [[span(0)]] }, 'window'],
    ['attested anew, the only one with standing', { ...attested, own: [span(0)] }, 'window'],
    ['attested anew beside another', { ...attested, own: [span(0)], others: [[span(0)]] }, 'standing'],
    ['changed while it has standing', { ...changed, own: [late(0)], others: [[span(0)]] }, 'window'],
    ['resumed while it has standing', { ...changed, own: [span(0, 990)], others: [[span(0)]] }, 'window'],
    ['changed while it waits for 30 days', { ...changed, own: [late(995)], others: [[span(0)]] }, 'standing'],
    ['changed while it waits for a window', { ...changed, own: [span(995)], others: [[span(0)]] }, 'window'],
    ['resumed before it had standing', { ...changed, own: [span(990, 995)], others: [[span(0)]] }, 'standing'],
    ['resumed long after its standing ended', { ...changed, own: [span(0, 700)], others: [[span(0)]] }, 'standing'],
    ['resumed while no other has standing', { ...changed, own: [late(990, 995)] }, 'window'],
  ])('of a device that is %s', (_, beginning, expected) => {
    expect(waitOf(beginning, NOW, TIMES)).toBe(expected)
  })

  it('is a window, or as long as standing lasts', () => {
    expect([countsAt(span(5), TIMES), countsAt(late(5), TIMES)]).toEqual([15, 305])
  })

  it('leaves no gap for a device with standing that is attested anew without agreement', () => {
    const spans = [span(0, NOW), late(NOW)]
    for (let now = NOW; now <= NOW + TIMES.standingMs; now++) expect(hasStanding(spans, now, TIMES)).toBe(true)
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
    ['one that lost the capability a window ago', [[span(0, 990), span(990, null, false)]], false],
  ])('with %s', (_, devices, expected) => {
    expect(needsCosigner(devices, NOW, TIMES)).toBe(expected)
  })

  it('leaves no gap for devices that are attested anew without agreement', () => {
    const devices = [
      [span(0, NOW), late(NOW)],
      [span(0, NOW + 1), late(NOW + 1)],
    ]
    for (let now = NOW + 1; now <= NOW + 2 * TIMES.standingMs; now++)
      expect(needsCosigner(devices, now, TIMES)).toBe(true)
  })
})

describe('waitsUntil', () => {
  it.each<[string, Span[], number | null]>([
    ['a window after a device was agreed', [span(995)], 1_005],
    ['30 days after one that was not', [late(995)], 1_295],
    ['the end of the span that is open', [span(0, 500), late(995)], 1_295],
    ['nothing, for a device with standing', [span(990)], null],
    ['nothing, for one that had standing a moment ago', [span(0, 998), span(998)], null],
    ['nothing, for one that is lost', [span(995, 998)], null],
    ['nothing, for none', [], null],
  ])('is %s', (_, spans, expected) => {
    expect(waitsUntil(spans, NOW, TIMES)).toBe(expected)
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
