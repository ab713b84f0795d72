import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { submissionBytes } from '@svc/protocol/anchors'
import { encodeBase64url } from '@svc/protocol/base64url'
import type { GovernanceAttestation } from '@svc/protocol/governance'
import { signStatement } from '@svc/protocol/statement'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { ChainStore } from '../src/chain/chain-store.ts'
import { freshRoot, reader, submission, submit } from './anchors.fixture.ts'
import {
  attestedBy,
  forgetPolicies,
  found,
  freshSigners,
  OPERATOR_SEED,
  policyOf,
  type Signer,
} from './governance.fixture.ts'
import { anonymous, freshCaller } from './harness.ts'

const EPOCH = 'e'
const attested = (signers: readonly Signer[], root: string, epoch = EPOCH) =>
  Promise.all(signers.map((signer) => attestedBy(signer, submissionBytes(root, epoch))))

/** Sends what these signers sign for a root that is new. */
async function submitSigned(caller: TestCaller, signers: readonly Signer[]) {
  const root = freshRoot()
  return submit(caller, { root, epoch: EPOCH, attestations: await attested(signers, root) })
}

const refused = (status: number, error: string) => ({ status, body: { success: false, error } })
const size = async () => (await reader().checkpoint()).statement.size

afterEach(forgetPolicies)

describe('the owner’s own attestation', () => {
  it('is refused over anything but this root and epoch', async () => {
    const caller = await freshCaller()
    const [root, before] = [freshRoot(), await size()]
    for (const attestations of [
      await attested([caller.identity], freshRoot()),
      await attested([caller.identity], root, 'another'),
      [await attestedBy(caller.identity, new TextEncoder().encode(root))],
      [{ ...(await attested([caller.identity], root))[0]!, signatureB64u: 'AAAA' }],
    ]) {
      expect(await submit(caller, { root, epoch: EPOCH, attestations })).toMatchObject(
        refused(403, 'invalid_signature'),
      )
    }
    expect(await size()).toBe(before)
  })

  it('is no one else’s: neither a stranger’s nor another owner’s', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const [stranger] = await freshSigners(1)
    const before = await size()
    expect(await submitSigned(alice, [stranger!])).toMatchObject(refused(403, 'unknown_signer'))
    expect(await submitSigned(alice, [bob.identity])).toMatchObject(refused(403, 'unknown_signer'))
    const byAlice = await submission(alice)
    expect(await submit(bob, byAlice)).toMatchObject(refused(403, 'unknown_signer'))
    expect((await submit(alice, byAlice)).status).toBe(200)
    expect(await size()).toBe(before + 1)
  })

  it('stands alone or not at all', async () => {
    const caller = await freshCaller()
    const [stranger] = await freshSigners(1)
    expect(await submitSigned(caller, [caller.identity, stranger!])).toMatchObject(refused(403, 'unknown_signer'))
    expect(await submitSigned(caller, [caller.identity, caller.identity])).toMatchObject(refused(403, 'unknown_signer'))
    const signers = await freshSigners(2)
    await found(policyOf(signers))
    expect(await submitSigned(caller, [caller.identity, ...signers])).toMatchObject(refused(403, 'unknown_signer'))
    expect((await submitSigned(caller, [caller.identity])).status).toBe(200)
  })
})

describe('the attestations of policy signers', () => {
  it('authorize at the threshold and above it, and stand in the record in their order', async () => {
    const caller = await freshCaller()
    const signers = await freshSigners(3)
    await found(policyOf(signers, { threshold: 2 }))
    for (const some of [signers.slice(0, 2), signers.slice(1).toReversed(), signers]) {
      const root = freshRoot()
      const attestations: GovernanceAttestation[] = await attested(some, root)
      const { status, body } = await submit(caller, { root, epoch: EPOCH, attestations })
      expect(status).toBe(200)
      expect(body).toMatchObject({ owner: caller.identity.did, attestations })
      expect((await reader().read(String(body['anchorId']))).attestations).toEqual(attestations)
    }
  })

  it('count the owner’s among them only where the owner is a signer', async () => {
    const caller = await freshCaller()
    const [other] = await freshSigners(1)
    await found(policyOf([caller.identity, other!]))
    expect((await submitSigned(caller, [other!, caller.identity])).status).toBe(200)
    expect((await submitSigned(caller, [caller.identity])).status).toBe(200)
    expect(await submitSigned(caller, [other!])).toMatchObject(refused(403, 'threshold_not_met'))
  })

  it('are refused by name, and leave nothing', async () => {
    const caller = await freshCaller()
    const signers = await freshSigners(3)
    const [first, second] = signers
    const [outsider] = await freshSigners(1)
    await found(policyOf(signers, { threshold: 2 }))
    const before = await size()
    expect(await submitSigned(caller, [first!])).toMatchObject(refused(403, 'threshold_not_met'))
    expect(await submitSigned(caller, [outsider!])).toMatchObject(refused(403, 'unknown_signer'))
    expect(await submitSigned(caller, [first!, second!, outsider!])).toMatchObject(refused(403, 'unknown_signer'))
    expect(await submitSigned(caller, [first!, first!])).toMatchObject({ body: { error: 'duplicate_signer' } })
    const root = freshRoot()
    const [good] = await attested([first!], root)
    const [elsewhere] = await attested([second!], freshRoot())
    const broken = { ...good!, publicKeyB64u: second!.publicKeyB64u }
    for (const bad of [elsewhere!, broken, { ...elsewhere!, signatureB64u: encodeBase64url(new Uint8Array(3309)) }]) {
      expect(await submit(caller, { root, epoch: EPOCH, attestations: [good!, bad] })).toMatchObject(
        refused(403, 'invalid_signature'),
      )
    }
    expect(await size()).toBe(before)
  })

  it('authorize nothing without a policy', async () => {
    const signers = await freshSigners(2)
    expect(await submitSigned(await freshCaller(), signers)).toMatchObject(refused(403, 'unknown_signer'))
  })
})

describe('a caller whose chain is being indexed again', () => {
  it('submits nothing until that is done', async () => {
    const caller = await freshCaller()
    const body = await submission(caller)
    const object = env.IDENTITIES.getByName(caller.identity.did)
    await runInDurableObject(object, (_, { storage }) => new ChainStore(storage.sql).startRebuild())
    const before = await size()
    expect(await submit(caller, body)).toMatchObject(refused(409, 'history_partial'))
    expect(await size()).toBe(before)
    await runInDurableObject(object, (_, { storage }) => new ChainStore(storage.sql).rebuildStep())
    expect((await submit(caller, body)).status).toBe(200)
  })

  it('submits after a rebuild that the operator started has ended', async () => {
    const caller = await freshCaller()
    const statement = {
      type: 'svc/operator-chain-reindex/v1' as const,
      did: caller.identity.did,
      nonce: crypto.randomUUID(),
      issuedAt: Date.now(),
    }
    const act = await signStatement(statement, (message) => mlDsa65.sign(OPERATOR_SEED, message))
    expect((await anonymous('POST', '/api/operator/acts', act)).status).toBe(200)
    await runDurableObjectAlarm(env.IDENTITIES.getByName(caller.identity.did))
    expect((await submit(caller, await submission(caller))).status).toBe(200)
  })
})
