import { describe, expect, it } from 'vitest'
import type { Span } from '../rotation/standing-rules.ts'
import { countWatched, standingChanges } from './changes.ts'

const TIMES = { windowMs: 10, standingMs: 300 }
const NOW = 1_000
const span = (since: number, until: number | null, more: Partial<Span> = {}): Span => ({
  since,
  until,
  cosigns: true,
  wait: 'window',
  ...more,
})
const changesOf = (...own: Span[]) => standingChanges(new Map([['phone', own]]), NOW, TIMES)
const ofPhone = { deviceId: 'phone', cosigns: true, countsAt: null, countsUntil: null }
const added = (at: number, countsAt: number | null) => ({ ...ofPhone, kind: 'device_added', at, countsAt })
const lost = (at: number, countsUntil: number | null) => ({ ...ofPhone, kind: 'device_lost', at, countsUntil })
const cosignLost = (at: number, countsUntil: number | null) => ({
  ...lost(at, countsUntil),
  kind: 'cosign_lost',
  cosigns: false,
})

describe('standingChanges', () => {
  it.each<[string, Span[], object[]]>([
    ['nothing about a device with standing', [span(0, null)], []],
    ['a new device for one window, with the time at which it gains standing', [span(991, null)], [added(991, 1_001)]],
    ['no new device after a window', [span(990, null)], []],
    [
      'a device that waits longer, until it gains standing',
      [span(900, null, { wait: 'standing' })],
      [added(900, 1_200)],
    ],
    ['no such device once it has standing', [span(700, null, { wait: 'standing' })], []],
    ['a lost device for one window, with the time at which its standing ends', [span(0, 991)], [lost(991, 1_291)]],
    ['no lost device after a window', [span(0, 990)], []],
    ['a device that was added and lost, and never had standing', [span(991, 995)], [added(991, null), lost(995, null)]],
    [
      'a device that lost the right to co-sign',
      [span(0, 995), span(995, null, { cosigns: false })],
      [cosignLost(995, 1_295)],
    ],
    [
      'a device that lost that right before it had standing, with the time at which it gains standing without it',
      [span(992, 995), span(995, null, { cosigns: false })],
      [{ ...added(992, 1_005), cosigns: false }, cosignLost(995, null)],
    ],
    [
      'such a device until it gains standing',
      [span(900, 905, { wait: 'standing' }), span(905, null, { cosigns: false, wait: 'standing' })],
      [{ ...added(900, 1_205), cosigns: false }],
    ],
    [
      'a device that lost that right and was lost, before it had standing',
      [span(992, 995), span(995, 997, { cosigns: false })],
      [{ ...added(992, null), cosigns: false }, cosignLost(995, null), { ...lost(997, null), cosigns: false }],
    ],
    ['the right to co-sign as a new span', [span(0, 995, { cosigns: false }), span(995, null)], [added(995, 1_005)]],
    ['a device that was attested anew', [span(0, 995), span(995, null)], [added(995, 1_005)]],
    ['a device that was suspended and resumed', [span(0, 992), span(996, null)], [added(996, 1_006)]],
    [
      'the end of standing from an earlier span, although the device was resumed for a moment',
      [span(0, 950), span(993, 994)],
      [added(993, null), lost(994, 1_250)],
    ],
    ['no end of standing that is long over', [span(0, 650), span(993, 994)], [added(993, null), lost(994, null)]],
    [
      'a device that never could co-sign',
      [span(995, null, { cosigns: false })],
      [{ ...added(995, 1_005), cosigns: false }],
    ],
  ])('shows %s', (_, own, expected) => {
    expect(changesOf(...own)).toEqual(expected)
  })

  it('shows one change of each kind per device, so that repeating one pushes out none', () => {
    const many = Array.from({ length: 4 }, (_, i) => span(992 + 2 * i, 993 + 2 * i))
    const shown = standingChanges(
      new Map([
        ['owner', [span(0, 991)]],
        ['thief', many],
      ]),
      NOW,
      TIMES,
    )
    expect(shown.map(({ kind, deviceId, at }) => [kind, deviceId, at])).toEqual([
      ['device_lost', 'owner', 991],
      ['device_added', 'thief', 998],
      ['device_lost', 'thief', 999],
    ])
  })
})

describe('countWatched', () => {
  it('counts active devices, and devices with standing including lost ones', () => {
    const spans = new Map([
      ['counts', [span(0, null)]],
      ['too new', [span(995, null)]],
      ['lost lately', [span(0, 900)]],
      ['lost long ago', [span(0, 600)]],
    ])
    expect(countWatched(spans, NOW, TIMES)).toEqual({ active: 2, standing: 2 })
  })
})
