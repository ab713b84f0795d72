import { describe, expect, it } from 'vitest'
import { type ContactRow, checkDelivery, checkOpening, checkResend, type Presented } from './rules.ts'

const T = 1_790_000_000_000
const ROW: ContactRow = {
  requestId: 'r',
  assetId: 'a',
  kemKeyId: 'k',
  address: 'ada@example.org',
  codeHash: 'h',
  sentAt: T,
  expiresAt: T + 600_000,
  sends: 1,
  attempts: 0,
  delivered: null,
}
const DELIVERED: ContactRow = { ...ROW, address: null, delivered: { envelopeHash: 'e', at: T + 1 } }
const RIGHT: Presented = {
  isCodeRight: true,
  isSameEnvelope: false,
  kemKeyId: 'k',
  kemKeyIdInForce: 'k',
  messages: 0,
}
const refused = (reason: string, more = {}) => ({ ok: false, error: { reason, ...more } })
const wait = (retryAfterSeconds: number) => refused('rate_limited', { retryAfterSeconds })

describe('checkOpening', () => {
  it.each<[string, number[], number, object]>([
    ['into an empty inbox', [], 0, { ok: true, value: undefined }],
    ['the thirtieth', Array<number>(29).fill(T + 1000), 0, { ok: true, value: undefined }],
    ['the thirty-first', Array<number>(30).fill(T + 1500), 0, wait(2)],
    ['the thirty-first when the first just expired', [T, ...Array<number>(29).fill(T + 1)], 0, { ok: true }],
    [
      'the thirty-third, until the third place is free',
      [T + 1000, T + 2000, ...Array<number>(30).fill(T + 3000)],
      0,
      wait(3),
    ],
    ['into an inbox that is nearly full', [], 999, { ok: true }],
    ['into a full inbox', [], 1000, refused('inbox_full')],
    ['too often into a full inbox', Array<number>(30).fill(T + 600_000), 1000, wait(600)],
  ])('%s', (_, admissions, messages, expected) => {
    expect(checkOpening(admissions, messages, T)).toMatchObject(expected)
  })
})

describe('checkResend', () => {
  it.each<[string, ContactRow | null, number, object]>([
    ['half a minute after the first', ROW, T + 30_000, { ok: true, value: { address: 'ada@example.org' } }],
    ['sooner', ROW, T + 29_999, wait(1)],
    ['at once', ROW, T, wait(30)],
    ['a third time', { ...ROW, sends: 2 }, T + 30_000, { ok: true }],
    ['a fourth time', { ...ROW, sends: 3 }, T + 30_000, refused('resend_limit')],
    ['when the code has expired', ROW, T + 600_000, refused('code_unusable')],
    ['when no attempt is left', { ...ROW, attempts: 5 }, T + 30_000, refused('code_unusable')],
    ['after the delivery', DELIVERED, T + 30_000, refused('code_unusable')],
    ['of nothing', null, T, refused('code_unusable')],
  ])('%s', (_, row, now, expected) => {
    expect(checkResend(row, now)).toMatchObject(expected)
  })
})

describe('checkDelivery', () => {
  it.each<[string, ContactRow | null, Partial<Presented>, number, object]>([
    ['the right code', ROW, {}, T, { ok: true, value: 'deliver' }],
    ['the right code in the last millisecond', ROW, {}, T + 599_999, { ok: true, value: 'deliver' }],
    ['the right code too late', ROW, {}, T + 600_000, refused('code_unusable')],
    ['no request', null, {}, T, refused('code_unusable')],
    ['a wrong code', ROW, { isCodeRight: false }, T, refused('code_rejected', { attemptsLeft: 4 })],
    [
      'a fifth wrong code',
      { ...ROW, attempts: 4 },
      { isCodeRight: false },
      T,
      refused('code_rejected', { attemptsLeft: 0 }),
    ],
    ['the right code after four wrong ones', { ...ROW, attempts: 4 }, {}, T, { ok: true, value: 'deliver' }],
    ['the right code after five', { ...ROW, attempts: 5 }, {}, T, refused('code_unusable')],
    ['another key in force', ROW, { kemKeyIdInForce: 'other' }, T, refused('key_agreement_changed')],
    ['no key in force', ROW, { kemKeyIdInForce: null }, T, refused('key_agreement_changed')],
    ['an envelope to another key', ROW, { kemKeyId: 'other' }, T, refused('key_agreement_changed')],
    [
      'an envelope to the new key for a request made under the old one',
      ROW,
      { kemKeyId: 'new', kemKeyIdInForce: 'new' },
      T,
      refused('key_agreement_changed'),
    ],
    [
      'a wrong code for a replaced key',
      ROW,
      { isCodeRight: false, kemKeyIdInForce: 'other' },
      T,
      refused('key_agreement_changed'),
    ],
    ['a full inbox', ROW, { messages: 1000 }, T, refused('inbox_full')],
    ['a wrong code at a full inbox', ROW, { messages: 1000, isCodeRight: false }, T, refused('code_rejected')],
    ['the same once more', DELIVERED, { isSameEnvelope: true }, T, { ok: true, value: 'again' }],
    [
      'the same again under a new key',
      DELIVERED,
      { isSameEnvelope: true, kemKeyIdInForce: 'new' },
      T,
      { ok: true, value: 'again' },
    ],
    ['another envelope after the delivery', DELIVERED, {}, T, refused('code_unusable')],
    [
      'the same envelope with another code',
      DELIVERED,
      { isSameEnvelope: true, isCodeRight: false },
      T,
      refused('code_unusable'),
    ],
  ])('%s', (_, row, changed, now, expected) => {
    expect(checkDelivery(row, { ...RIGHT, ...changed }, now)).toMatchObject(expected)
  })
})
