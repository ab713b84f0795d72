/**
 * Published by FiloSottile/torchwood, cmd/litewitness/testdata/litewitness.txt, and FiloSottile/sunlight,
 * internal/witness/witness_test.go: requests to a witness, in this order, and their answers.
 */
import { base64Text } from './signed-note.ts'

export const SIGSUM_ORIGIN = 'sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562'
/** Its Ed25519 key, as hex. */
export const SIGSUM_KEY = 'ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f'

const hash = (first: number, second: number, last = 0) =>
  base64Text(Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? first : i === 1 ? second : i === 30 ? last : 0)))
const leaf = (index: number) => hash(0x2a, index)

const HEADS = {
  1: `1\n${leaf(0)}\n`,
  3: '3\nRcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=\n',
  5: '5\nQrtXrQZCCvpIgsSmOsah7HdICzMLLyDfxToMql9WTjY=\n',
} as const
const SIGNATURES = {
  1: 'UgIom7fPZTqpxWWhyjWduBvTvGVqsokMbqTArsQilegKoFBJQjUFAmQ0+YeSPM3wfUQMFSzVnnNuWRTYrajXpNUbIQY=',
  3: 'UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6go=',
  5: 'UgIomw/EOJmWi0i1FQsOj+etB7F8IccFam/jgd6wzRns4QPVmyEZtdvl1U2KEmLOZ/ASRcWJi0tW90dJWAShei7sDww=',
} as const

/** A checkpoint of the log, signed. */
export function sigsumNote(size: 1 | 3 | 5, origin = SIGSUM_ORIGIN, signature: string = SIGNATURES[size]): string {
  return `${origin}\n${HEADS[size]}\n— ${origin} ${signature}\n`
}

const request = (old: number, proof: readonly string[], note: string) =>
  `old ${old}\n${proof.map((line) => `${line}\n`).join('')}\n${note}`
const TO_3 = [leaf(1), leaf(2)]

export interface WitnessCase {
  readonly name: string
  readonly body: string
  readonly status: 200 | 400 | 403 | 404 | 409 | 422
  /** Of the body of a 409. */
  readonly size?: number
}

export const WITNESS_CASES: readonly WitnessCase[] = [
  { name: 'first cosignature, of one leaf', body: request(0, [], sigsumNote(1)), status: 200 },
  {
    name: 'false signature',
    body: request(1, TO_3, sigsumNote(3, SIGSUM_ORIGIN, SIGNATURES[3].replace(/o=$/, 'x='))),
    status: 403,
  },
  {
    name: 'unknown log',
    body: request(1, TO_3, sigsumNote(3, SIGSUM_ORIGIN.replace(/2$/, '3'))),
    status: 404,
  },
  { name: 'no proof', body: request(1, [], sigsumNote(3)), status: 422 },
  { name: 'wrong proof', body: request(1, [leaf(1), hash(0x2a, 2, 0x10)], sigsumNote(3)), status: 422 },
  { name: 'growth to three leaves', body: request(1, TO_3, sigsumNote(3)), status: 200 },
  {
    name: 'old size that is not the current one',
    body: request(1, [leaf(1), '+fUDV+k970B4I3uKrqJM4aP1lloPZP8mvr2Z4wRw2LI=', leaf(4)], sigsumNote(5)),
    status: 409,
    size: 3,
  },
  {
    name: 'growth to five leaves',
    body: request(3, [leaf(2), leaf(3), 'wgiIFdZfYNv6WU1OllBKsWnLYIS/DBMqt8Uh/S4OukE=', leaf(4)], sigsumNote(5)),
    status: 200,
  },
  { name: 'old size 0', body: request(0, [], sigsumNote(5)), status: 409, size: 5 },
  { name: 'no signature', body: `old 5\n\n${SIGSUM_ORIGIN}\n${HEADS[5]}`, status: 400 },
  {
    name: 'no checkpoint',
    body: request(
      5,
      [],
      `${SIGSUM_ORIGIN}\nfive\nKgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— ${SIGSUM_ORIGIN} UgIom4JTC2MerrFcJ5xDcWHzRPVB6zzGBIw4OFqcKDflqjH4q4xY5vMxUxyczvdIlEwFYf7ivQU4KoWan2bLmzLx0go=\n`,
    ),
    status: 400,
  },
]
