/** Every kind of evidence that can be made without a service, with the right file, a wrong one and none. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportKeys } from '@svc/client/backup'
import { detectFile, judge, judgeAll, type Kind, type Means } from '@svc/client/evidence'
import { afterAll, describe, expect, it } from 'vitest'
import { anchorOf, capsuleOf, checkpointOf, newLogKey, openingOf } from '../evidence-files.ts'
import { makeFiles, REALM } from '../files.ts'
import { newMachine, PASSPHRASE } from '../svc.ts'

const machine = newMachine({ descriptor: PASSPHRASE })
afterAll(() => machine.remove())

const { did, identity, chain, message } = await makeFiles()
const bytesOf = (text: string) => new TextEncoder().encode(text)
const [RIGHT, WRONG] = [bytesOf('a plan'), bytesOf('a plot')]
const logKey = newLogKey()
const { capsule, proof } = await capsuleOf(identity, RIGHT)
const ofFile = await identity.signMessage({ realm: REALM, audience: 'file', content: RIGHT })
const state = (issuedAt: number) => checkpointOf(logKey, 5, 'ab'.repeat(48), issuedAt)

/** What is told with the right file, with a wrong one and without one: exit codes of `svc verify`. */
const ABOUT_A_FILE = [0, 3, 4] as const
/** A file beside it is compared with nothing. */
const ABOUT_NONE = [4, 4, 0] as const
/** Nothing is decided offline. */
const OPEN = [4, 4, 4] as const

const CASES: readonly (readonly [
  kind: Kind,
  name: string,
  value: unknown,
  codes: readonly [number, number, number],
])[] = [
  ['anchor', 'anchor.json', await anchorOf(identity, RIGHT, logKey), ABOUT_A_FILE],
  ['capsule', 'capsule.json', capsule, ABOUT_A_FILE],
  ['proof', 'proof.json', proof, ABOUT_A_FILE],
  ['message', 'signed.json', ofFile, ABOUT_A_FILE],
  // Whether it was registered, only provenance knows.
  ['commitment', 'opening.json', openingOf(did, RIGHT), [4, 3, 4]],
  ['chain', 'chain.json', { did, blocks: chain }, ABOUT_NONE],
  [
    'checkpoints',
    'checkpoints.json',
    { earlier: state(1_790_000_000_000), later: state(1_790_000_000_001) },
    ABOUT_NONE,
  ],
  ['export', 'export.json', await exportKeys({ identity }, PASSPHRASE), ABOUT_NONE],
  // It has its text in it: bytes of a file are something else.
  ['message', 'text.json', message, [3, 3, 0]],
  ['stamp', 'stamp.json', { format: 'svc/anchor-stamp/v1' }, OPEN],
  ['content', 'content.txt', 'a text that nobody has registered', OPEN],
  ['draft', 'draft.json', { format: 'svc/evidence/v1', core: REALM, at: 1, pin: null, answers: {} }, OPEN],
]
const fileOf = (value: unknown) => bytesOf(typeof value === 'string' ? value : JSON.stringify(value))
for (const [, name, value] of CASES) writeFileSync(join(machine.home, name), fileOf(value))
writeFileSync(join(machine.home, 'right.txt'), RIGHT)
writeFileSync(join(machine.home, 'wrong.txt'), WRONG)

const HELD = [
  ['the right file', RIGHT, ' --file right.txt'],
  ['a wrong file', WRONG, ' --file wrong.txt'],
  ['no file', null, ''],
] as const
const ROWS = CASES.flatMap(([kind, name, value, codes]) =>
  HELD.map(([held, file, words], at) => ({ kind, name, value, held, file, words, code: codes[at] ?? 0 })),
)
const VERDICTS: Readonly<Record<number, string>> = { 0: 'valid', 3: 'invalid', 4: 'undecided' }

describe.each(ROWS)('$name with $held', ({ kind, name, value, file, words, code }) => {
  it('is judged by the SDK', async () => {
    const detected = detectFile(fileOf(value))
    expect(detected.kind).toBe(kind)
    const means: Means = {
      client: null,
      realms: [REALM],
      expectedDid: did,
      file,
      logKeyB64u: logKey.publicKeyB64u,
      passphrase: async () => PASSPHRASE,
    }
    const { verdict, refuted, notCompared } = await judgeAll(detected, fileOf(value), means)
    expect(verdict).toBe(VERDICTS[code])
    expect(refuted.length > 0).toBe(code === 3)
    if (code === 4) expect(notCompared.length).toBeGreaterThan(0)
    if (code === 3) await expect(judge(detected, fileOf(value), means)).rejects.toThrow()
  })

  it('is told by svc verify', async () => {
    const options = `--offline --realm ${REALM} --did ${did} --log-key ${logKey.publicKeyB64u} --passphrase-fd 3`
    const ended = await machine.svc(`verify ${name} ${options}${words}`)
    expect([ended.code, ended.stderr.split(':')[0]]).toEqual([code, code === 3 ? 'error' : ''])
    const [headline = ''] = ended.stdout.split('\n')
    if (code === 0) expect(headline).toMatch(/^valid: /)
    else expect(ended.stdout).not.toContain('valid:')
    if (code === 4) expect(headline).toMatch(/^undecided: \w+.*, \S/)
  })
})

it('the anchor of a chain is compared with its export', async () => {
  const { blockHash } = await import('@svc/client/functions')
  const head = blockHash(chain.at(-1) as Parameters<typeof blockHash>[0])
  const anchored = fileOf(await anchorOf(identity, RIGHT, logKey, { root: head }))
  const means = (file: Uint8Array | null): Means => ({
    client: null,
    realms: [REALM],
    expectedDid: null,
    file,
    logKeyB64u: logKey.publicKeyB64u,
    passphrase: async () => '',
  })
  const verdictWith = async (file: Uint8Array | null) =>
    (await judgeAll(detectFile(anchored), anchored, means(file))).verdict
  expect(await verdictWith(fileOf({ blocks: chain }))).toBe('valid')
  expect(await verdictWith(fileOf({ blocks: chain.slice(0, 1) }))).toBe('invalid')
  expect(await verdictWith(null)).toBe('undecided')
})

it('the headline and the next step name the file that is missing', async () => {
  const { code, stdout } = await machine.svc(
    `verify anchor.json --offline --realm ${REALM} --log-key ${logKey.publicKeyB64u}`,
  )
  expect(code).toBe(4)
  expect(stdout).toContain(`undecided: anchor of ${did}, the file was not compared\n`)
  expect(stdout).toContain('Next: pass the file with --file')
})
