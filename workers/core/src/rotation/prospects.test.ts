import { describe, expect, it } from 'vitest'
import { countDevices } from './prospects.ts'
import type { Span } from './standing-rules.ts'

const TIMES = { windowMs: 10, standingMs: 300 }
const NOW = 1_000
const span = (since: number, until: number | null = null, more: Partial<Span> = {}): Span => ({
  since,
  until,
  cosigns: true,
  wait: 'window',
  ...more,
})

describe('countDevices', () => {
  it.each<[string, Span[], object]>([
    ['that was active for a window', [span(990)], { cosign: 1, veto: 0, tooNew: 0 }],
    ['that was active for less', [span(991)], { cosign: 0, veto: 0, tooNew: 1 }],
    ['that may not co-sign', [span(990, null, { cosigns: false })], { cosign: 0, veto: 1, tooNew: 0 }],
    ['without an agreement', [span(990, null, { wait: 'standing' })], { cosign: 0, veto: 0, tooNew: 1 }],
    ['that was lost', [span(0, 999)], { cosign: 0, veto: 0, tooNew: 0 }],
    [
      'that was attested anew, and keeps the standing of its earlier span',
      [span(0, 995), span(995, null, { wait: 'standing' })],
      { cosign: 1, veto: 0, tooNew: 0 },
    ],
    [
      'with standing that has just got the right to co-sign',
      [span(0, 995, { cosigns: false }), span(995)],
      { cosign: 0, veto: 1, tooNew: 0 },
    ],
    [
      'with standing that has lost the right to co-sign',
      [span(0, 995), span(995, null, { cosigns: false })],
      { cosign: 0, veto: 1, tooNew: 0 },
    ],
  ])('counts a device %s', (_, own, expected) => {
    expect(countDevices([own], NOW, TIMES)).toEqual(expected)
  })
})
