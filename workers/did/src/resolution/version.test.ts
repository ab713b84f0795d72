import { describe, expect, it } from 'vitest'
import { versionLabel, wantedVersion } from './version.ts'

const SECOND = Date.parse('2026-11-22T01:00:00Z')

describe('the version that is asked for', () => {
  it('is the current one unless said', () => {
    expect(wantedVersion({}, SECOND)).toEqual({ ok: true, value: { kind: 'current' } })
  })

  it.each([
    ['0', { kind: 'epoch', epoch: 0 }],
    ['17', { kind: 'epoch', epoch: 17 }],
    ['999999999', { kind: 'epoch', epoch: 999_999_999 }],
    ['1000000000', { kind: 'unknown' }],
    ['00', { kind: 'unknown' }],
    ['-1', { kind: 'unknown' }],
    ['1.0', { kind: 'unknown' }],
    [' 1', { kind: 'unknown' }],
    ['', { kind: 'unknown' }],
  ])('by versionId %j', (versionId, value) => {
    expect(wantedVersion({ versionId }, SECOND)).toEqual({ ok: true, value })
  })

  it.each([
    ['2026-11-22T01:00:00Z', SECOND],
    ['2026-11-22T01:00:00.999Z', SECOND],
    ['2026-11-22T02:00:00+01:00', SECOND],
    ['2026-11-22t01:00:00z', SECOND],
    ['2026-11-22T00:59:60Z', SECOND],
    ['1970-01-01T00:00:00Z', 0],
  ])('by versionTime %s, rounded down to the second', (versionTime, second) => {
    const wanted = wantedVersion({ versionTime }, SECOND)
    expect(wanted).toEqual({ ok: true, value: { kind: 'time', at: second + 999 } })
  })

  it.each(['2026-11-22T01:00:01Z', '2026-11-22T01:00:01.5Z', '2026-11-22T01:05:00Z'])(
    'is the current one for %s, up to 300 seconds ahead',
    (versionTime) => {
      expect(wantedVersion({ versionTime }, SECOND)).toEqual({ ok: true, value: { kind: 'current' } })
    },
  )

  it.each(['2026-11-22T01:05:01Z', '2030-01-01T00:00:00Z', '1969-12-31T23:59:59Z'])('is none for %s', (versionTime) => {
    expect(wantedVersion({ versionTime }, SECOND)).toEqual({ ok: true, value: { kind: 'unknown' } })
  })

  it.each([
    { versionTime: '' },
    { versionTime: 'now' },
    { versionTime: '2026-11-22' },
    { versionTime: '2026-11-22 01:00:00Z' },
    { versionTime: '2026-11-22T01:00:00' },
    { versionTime: '2026-11-22T24:00:00Z' },
    { versionTime: '2026-11-22T01:00:61Z' },
    { versionTime: '2026-13-01T00:00:00Z' },
    { versionTime: `${SECOND}` },
    { versionId: '0', versionTime: '2026-11-22T01:00:00Z' },
  ])('cannot be said by %j', (query) => {
    expect(wantedVersion(query, SECOND)).toEqual({ ok: false, error: 'INVALID_OPTIONS' })
  })
})

it('a proof names the version as the query did', () => {
  expect(versionLabel({})).toBeNull()
  expect(versionLabel({ versionId: '00' })).toBe('versionId=00')
  expect(versionLabel({ versionTime: '2026-11-22T01:00:00.5Z' })).toBe('versionTime=2026-11-22T01:00:00.5Z')
})
