import { describe, expect, it } from 'vitest'
import { type ConsentRecord, publishLines, recordLines } from './record-lines.ts'

const record: ConsentRecord = {
  found: true,
  hash: 'https://photos.example/1.jpg',
  source: 'declared',
  content_hash: 'https://photos.example/1.jpg',
  creator_did: 'did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz',
  public_key_b64u: 'AAAA',
  preferences: { ai_training: 'disallow', search: 'allow' },
  version: 2,
  created_at: 1_790_000_000_000,
  updated_at: 1_790_000_060_000,
  signed: {
    action: 'update',
    preferences: { search: 'allow' },
    signature_b64u: 'AAAA',
    signer: { kind: 'root', epoch: 0 },
  },
  projections: {
    content_usage: 'train-ai=n, search=y',
    content_signal: 'search=yes, ai-train=no',
    tdm_reservation: 1,
    x_robots_tag: 'noai',
    cawg: { 'cawg.ai_training': { use: 'notAllowed' }, 'cawg.ai_generative_training': { use: 'notAllowed' } },
  },
}

describe('a record', () => {
  it('is told with who declared it, and since when', () => {
    expect(recordLines(record)).toEqual([
      '{"ai_training":"disallow","search":"allow"}',
      'Declared by did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz since 2026-09-21T14:13:20.000Z, changed 2026-09-21T14:14:20.000Z',
    ])
  })

  it('may have nobody who declared it, and no change', () => {
    const ownerless = { ...record, creator_did: null, signed: null, updated_at: record.created_at }
    expect(recordLines(ownerless)[1]).toBe('Declared by nobody who can be asked since 2026-09-21T14:13:20.000Z')
  })

  it('has headers, a rule and entries to publish, and says what follows from what', () => {
    const lines = publishLines(record)
    for (const line of [
      'Content-Usage: train-ai=n, search=y',
      'X-Robots-Tag: noai',
      'TDM-Reservation: 1',
      'Content-Signal: search=yes, ai-train=no',
      'cawg.ai_generative_training: notAllowed',
    ])
      expect(lines).toContain(`  ${line}`)
    expect(lines.at(-1)).toContain('Both follow from ai_training')
  })

  it('has nothing to publish without a term for it', () => {
    const nothing = { content_usage: null, content_signal: null, tdm_reservation: null, x_robots_tag: null, cawg: null }
    expect(publishLines({ projections: nothing })).toEqual([])
  })
})
