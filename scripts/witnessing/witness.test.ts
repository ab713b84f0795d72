import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fromHex } from '@svc/protocol/base/hash'
import { addCheckpointText } from '@svc/tlog/add-checkpoint'
import { SIGSUM_KEY, SIGSUM_ORIGIN, WITNESS_CASES } from '@svc/tlog/add-checkpoint.fixture'
import { checkpointText } from '@svc/tlog/checkpoint'
import { verifierOf } from '@svc/tlog/note-keys'
import { keyIdOf, parseNote, parseSignatureLines, SIGNATURE_TYPES, signNote, verifyNote } from '@svc/tlog/signed-note'
import { SHA256_TREE } from '@svc/tlog/tree'
import { describe, expect, it } from 'vitest'
import { keys, NOW, statePath, TestLog, verifierKeyOf, witnessOver } from './witness.fixture.ts'
import type { WitnessAnswer } from './witness.ts'
import type { Evidence } from './witness-store.ts'

const type = SIGNATURE_TYPES.ed25519
const publicKey = fromHex(SIGSUM_KEY)
const SIGSUM = {
  origin: SIGSUM_ORIGIN,
  keys: [{ name: SIGSUM_ORIGIN, keyId: keyIdOf(SIGSUM_ORIGIN, type, publicKey), type, publicKey }],
}
const cosigners = keys.cosigners.map((cosigner) => verifierOf(verifierKeyOf(cosigner)))
const log = await TestLog.create()
const bytes = (text: string) => new TextEncoder().encode(text)

/** Both cosignatures of the answer are valid for the checkpoint that was sent. */
async function cosignsOf(answer: WitnessAnswer, body: Uint8Array): Promise<number> {
  if (answer.status !== 200) return 0
  const note = parseNote(new TextDecoder().decode(body).split('\n\n').slice(1).join('\n\n'))
  const signatures = parseSignatureLines(answer.lines) ?? []
  const verified = await verifyNote({ text: note?.text ?? '', signatures }, cosigners)
  expect(signatures.map(({ signature }, i) => cosigners[i]?.timestampOf(signature))).toEqual([NOW / 1000, NOW / 1000])
  return verified.ok ? verified.value.length : 0
}

describe('a witness', () => {
  it('answers the published requests as published', async () => {
    const { witness } = witnessOver(statePath(), [SIGSUM])
    for (const { name, body, ...expected } of WITNESS_CASES) {
      const answer = await witness.addCheckpoint(bytes(body))
      const { status } = answer
      expect({ name, status, ...(status === 409 ? { size: answer.size } : {}) }).toEqual({ name, ...expected })
      if (status === 200) expect(await cosignsOf(answer, bytes(body))).toBe(2)
    }
  })

  it('remembers across a restart, and refuses to roll back', async () => {
    const path = statePath()
    const first = witnessOver(path, [log.listed])
    expect((await first.witness.addCheckpoint(await log.request(0, 7))).status).toBe(200)
    first.store.close()
    const { witness } = witnessOver(path, [log.listed])
    expect(await witness.addCheckpoint(await log.request(0, 5))).toEqual({ status: 409, size: 7 })
    expect(await witness.addCheckpoint(await log.request(5, 6))).toEqual({ status: 409, size: 7 })
    expect((await witness.addCheckpoint(await log.request(7, 5))).status).toBe(400)
    expect((await witness.addCheckpoint(await log.request(7, 9))).status).toBe(200)
  })

  it('shows the newest checkpoint with what it cosigned', async () => {
    const { witness } = witnessOver(statePath(), [log.listed])
    expect(witness.checkpoint(log.origin)).toBeNull()
    await witness.addCheckpoint(await log.request(0, 7))
    const note = parseNote(witness.checkpoint(log.origin) ?? '')!
    const all = [...cosigners, ...log.signers.map((signer) => verifierOf(verifierKeyOf(signer)))]
    expect(await verifyNote(note, all)).toMatchObject({ ok: true, value: { length: 4 } })
  })

  it('refuses a fork, keeps both checkpoints, and reports it', async () => {
    const reported: Evidence[] = []
    const { witness, store } = witnessOver(statePath(), [log.listed], { onEvidence: (found) => reported.push(found) })
    await witness.addCheckpoint(await log.request(0, 7))
    const other = log.forked(3)
    expect((await witness.addCheckpoint(await log.request(7, 7, other))).status).toBe(422)
    expect((await witness.addCheckpoint(await log.request(7, 9, other))).status).toBe(422)
    expect((await witness.addCheckpoint(await log.request(7, 9, other))).status).toBe(422)
    expect(reported.map(({ isFork }) => isFork)).toEqual([true, false, false])
    const evidence = store.evidence()
    expect(evidence.map(({ isFork }) => isFork)).toEqual([true, false])
    // Anyone can verify that the log has signed both.
    const signers = log.signers.map((signer) => verifierOf(verifierKeyOf(signer)))
    for (const text of [evidence[0]?.known, evidence[0]?.refused])
      expect(await verifyNote(parseNote(text ?? '')!, signers)).toMatchObject({ ok: true })
    expect(store.head(log.origin)?.size).toBe(7)
  })

  it('does not cosign extension lines, which one of its signatures would not cover', async () => {
    const { witness, store } = witnessOver(statePath(), [log.listed])
    const root = SHA256_TREE.merkleRoot(log.leaves.slice(0, 7))
    const text = `${checkpointText({ origin: log.origin, size: 7, root })}more\n`
    const note = await signNote(text, log.signers.slice(0, 1), NOW)
    const answer = await witness.addCheckpoint(bytes(addCheckpointText({ oldSize: 0, proof: [], note })))
    expect(answer).toEqual({ status: 400, fault: 'Extension lines are not cosigned.' })
    expect(store.head(log.origin)).toBeNull()
  })

  it('takes a note that is signed by one of the keys only if the other is not wrong', async () => {
    const { witness } = witnessOver(statePath(), [log.listed])
    const text = new TextDecoder().decode(await log.request(0, 7))
    const [head = '', first = '', second = ''] = text.split('— ')
    const changed = `${second.slice(0, 100)}${second[100] === 'A' ? 'B' : 'A'}${second.slice(101)}`
    expect((await witness.addCheckpoint(bytes(`${head}— ${first}— ${changed}`))).status).toBe(403)
    expect((await witness.addCheckpoint(bytes(`${head}— ${first}`))).status).toBe(200)
  })
})

describe('20 races for one log', () => {
  it('cosign one history, and each size once', async () => {
    const path = statePath()
    // Two processes on one file: each has its own connection.
    const witnesses = [witnessOver(path, [log.listed]).witness, witnessOver(path, [log.listed]).witness]
    await witnesses[0]?.addCheckpoint(await log.request(0, 5))
    const racers = Array.from({ length: 20 }, async (_, i) => {
      const body = await log.request(5, 6 + i, i % 2 === 0 ? log.leaves : log.forked(5))
      return witnesses[i % 2]!.addCheckpoint(body)
    })
    const answers = await Promise.all(racers)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const winner = answers.findIndex(({ status }) => status === 200)
    const { store } = witnessOver(path, [log.listed])
    expect(store.head(log.origin)?.size).toBe(6 + winner)
    for (const [i, answer] of answers.entries())
      if (i !== winner) expect(answer).toEqual({ status: 409, size: 6 + winner })
  })

  it('on the same checkpoint all get a cosignature or its size', async () => {
    const { witness } = witnessOver(statePath(), [log.listed])
    const body = await log.request(0, 5)
    const answers = await Promise.all(Array.from({ length: 20 }, () => witness.addCheckpoint(body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.status === 409 && answer.size === 5)).toHaveLength(19)
  })
})

describe('a kill', () => {
  it.each([
    ['before signing', 5],
    ['before storing', 5],
    ['before answering', 9],
  ])('%s leaves a state from which the log goes on, and no signature that was forgotten', async (step, size) => {
    const path = statePath()
    const first = witnessOver(path, [log.listed])
    await first.witness.addCheckpoint(await log.request(0, 5))
    first.store.close()
    const body = Buffer.from(await log.request(5, 9)).toString('base64')
    const child = spawn(process.execPath, [join(import.meta.dirname, 'killed-witness.fixture.ts'), path, step, body])
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    const [, signal] = (await once(child, 'close')) as [number | null, string | null]
    expect({ signal, printed }).toEqual({ signal: 'SIGKILL', printed: '' })

    const { witness, store } = witnessOver(path, [log.listed])
    expect(store.head(log.origin)?.size).toBe(size)
    // The log learns the size, and gets the cosignature that it missed.
    expect(await witness.addCheckpoint(await log.request(0, 9))).toEqual({ status: 409, size })
    const again = await log.request(size, 9)
    expect(await cosignsOf(await witness.addCheckpoint(again), again)).toBe(2)
    // What was stored is the only history from now on.
    expect((await witness.addCheckpoint(await log.request(9, 12, log.forked(7)))).status).toBe(422)
  })
})
