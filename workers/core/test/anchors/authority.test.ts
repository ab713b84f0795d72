import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import type { GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import type { TestCaller } from '@svc/testing'
import { REALM } from '@svc/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { IdentityChainStore } from '../../src/chain/store.ts'
import {
  attestedBy,
  forgetPolicies,
  found,
  freshSigners,
  OPERATOR_SEED,
  policyOf,
  type Signer,
} from '../governance/governance.fixture.ts'
import { anonymous, freshCaller, sendWith } from '../harness.ts'
import { fill, freshRoot, reader, submission, submit } from './anchors.fixture.ts'

const EPOCH = 'e'
interface Signed {
  readonly owner: string
  readonly root: string
  readonly epoch?: string
  readonly realm?: string
  readonly at?: number
}

/** What these signers attest; `signedAt` is what they signed. */
const attested = (signers: readonly Signer[], { owner, root, epoch = EPOCH, realm = REALM, at = Date.now() }: Signed) =>
  Promise.all(
    signers.map(async (signer): Promise<GovernanceAttestation> => {
      const attestation = await attestedBy(signer, submissionBytes({ owner, root, epoch }, realm, at))
      return { ...attestation, signedAt: new Date(at).toISOString() }
    }),
  )

/** Submits a fresh root with the attestations of these signers. */
async function submitSigned(caller: TestCaller, signers: readonly Signer[]) {
  const root = freshRoot()
  const attestations = await attested(signers, { owner: caller.identity.did, root })
  return submit(caller, { root, epoch: EPOCH, attestations })
}

const refused = (status: number, error: string) => ({ status, body: { success: false, error } })
const size = async () => (await reader().checkpoint()).statement.size

/** The first anchor also opens the log. */
beforeAll(() => fill(1))
afterEach(forgetPolicies)

describe('the owner’s own attestation', () => {
  it('is rejected for any other root or epoch', async () => {
    const caller = await freshCaller()
    const [root, before] = [freshRoot(), await size()]
    const owner = caller.identity.did
    const by = [caller.identity]
    for (const attestations of [
      await attested(by, { owner, root: freshRoot() }),
      await attested(by, { owner, root, epoch: 'another' }),
      [await attestedBy(caller.identity, new TextEncoder().encode(root))],
      [{ ...(await attested(by, { owner, root }))[0]!, signatureB64u: 'AAAA' }],
    ]) {
      expect(await submit(caller, { root, epoch: EPOCH, attestations })).toMatchObject(
        refused(403, 'invalid_signature'),
      )
    }
    expect(await size()).toBe(before)
  })

  it('must be by the owner: neither a stranger nor another owner can sign it', async () => {
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

  it('must be the only attestation', async () => {
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
  it('authorize at the threshold and above it, and are recorded in their order', async () => {
    const caller = await freshCaller()
    const signers = await freshSigners(3)
    await found(policyOf(signers, { threshold: 2 }))
    for (const some of [signers.slice(0, 2), signers.slice(1).toReversed(), signers]) {
      const root = freshRoot()
      const attestations = await attested(some, { owner: caller.identity.did, root })
      const { status, body } = await submit(caller, { root, epoch: EPOCH, attestations })
      expect(status).toBe(200)
      expect(body).toMatchObject({ owner: caller.identity.did, attestations })
      expect((await reader().read(String(body['anchorId']))).attestations).toEqual(attestations)
    }
  })

  it('include the owner only if the owner is a signer', async () => {
    const caller = await freshCaller()
    const [other] = await freshSigners(1)
    await found(policyOf([caller.identity, other!]))
    expect((await submitSigned(caller, [other!, caller.identity])).status).toBe(200)
    expect((await submitSigned(caller, [caller.identity])).status).toBe(200)
    expect(await submitSigned(caller, [other!])).toMatchObject(refused(403, 'threshold_not_met'))
  })

  it('are rejected with a specific error, and leave nothing', async () => {
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
    const owner = caller.identity.did
    const [good] = await attested([first!], { owner, root })
    const [elsewhere] = await attested([second!], { owner, root: freshRoot() })
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

describe('an attestation copied from a public anchor', () => {
  /** A policy of one signer, and an anchor of alice that the signer has attested. */
  async function attestedAnchor() {
    const [signer] = await freshSigners(1)
    await found(policyOf([signer!]))
    const alice = await freshCaller()
    const body = await submitSigned(alice, [signer!])
    const { attestations, root } = await reader().read(String(body.body['anchorId']))
    return { signer: signer!, alice, root, attestations }
  }

  it('does not authorize another owner’s submission', async () => {
    const { attestations, root } = await attestedAnchor()
    const before = await size()
    const bob = await freshCaller()
    expect(await submit(bob, { root, epoch: EPOCH, attestations })).toMatchObject(refused(403, 'invalid_signature'))
    expect(await size()).toBe(before)
  })

  it('does not authorize another epoch or root of the same owner', async () => {
    const { alice, attestations, root } = await attestedAnchor()
    const before = await size()
    for (const body of [
      { root, epoch: 'another' },
      { root: freshRoot(), epoch: EPOCH },
    ]) {
      expect(await submit(alice, { ...body, attestations })).toMatchObject(refused(403, 'invalid_signature'))
    }
    expect(await size()).toBe(before)
  })

  it('of another deployment authorizes nothing here', async () => {
    const { signer, alice } = await attestedAnchor()
    const [root, before] = [freshRoot(), await size()]
    for (const by of [signer, alice.identity]) {
      const elsewhere = { owner: alice.identity.did, root, realm: 'https://core.example' }
      const attestations = await attested([by], elsewhere)
      expect(await submit(alice, { root, epoch: EPOCH, attestations })).toMatchObject(refused(403, 'invalid_signature'))
    }
    expect(await size()).toBe(before)
  })

  it('holds at its own time alone, and for a day', async () => {
    const alice = await freshCaller()
    const owner = alice.identity.did
    const [root, before, now] = [freshRoot(), await size(), Date.now()]
    const [fresh] = await attested([alice.identity], { owner, root, at: now })
    for (const signedAt of [new Date(now + 1).toISOString(), new Date(now - 86_400_000).toISOString(), undefined]) {
      const attestations = [{ ...fresh!, signedAt }]
      expect(await submit(alice, { root, epoch: EPOCH, attestations })).toMatchObject(refused(403, 'invalid_signature'))
    }
    for (const at of [now - 86_400_000 - 60_000, now + 300_000 + 60_000]) {
      const attestations = await attested([alice.identity], { owner, root, at })
      expect(await submit(alice, { root, epoch: EPOCH, attestations })).toMatchObject(refused(401, 'statement_expired'))
    }
    expect(await size()).toBe(before)
    const attestations = await attested([alice.identity], { owner, root, at: now - 86_400_000 + 60_000 })
    expect((await submit(alice, { root, epoch: EPOCH, attestations })).status).toBe(200)
  })

  it('is accepted for an earlier realm while the deployment moves', async () => {
    const alice = await freshCaller()
    const [root, owner] = [freshRoot(), alice.identity.did]
    const attestations = await attested([alice.identity], { owner, root, realm: 'https://core.old.example' })
    const moving = sendWith({ REALMS: [REALM, 'https://core.old.example'] })
    expect((await submit(alice, { root, epoch: EPOCH, attestations }, moving)).status).toBe(200)
  })
})

describe('a caller whose chain is being reindexed', () => {
  it('can submit nothing until that is done', async () => {
    const caller = await freshCaller()
    const body = await submission(caller)
    const object = env.IDENTITIES.getByName(caller.identity.did)
    await runInDurableObject(object, ({ stored }) => new IdentityChainStore(stored).startRebuild())
    const before = await size()
    expect(await submit(caller, body)).toMatchObject(refused(409, 'history_partial'))
    expect(await size()).toBe(before)
    await runInDurableObject(object, ({ stored }) => new IdentityChainStore(stored).rebuildStep())
    expect((await submit(caller, body)).status).toBe(200)
  })

  it('can submit after a rebuild started by the operator has ended', async () => {
    const caller = await freshCaller()
    const statement = {
      type: 'svc/operator-chain-reindex/v1' as const,
      realm: REALM,
      service: 'core',
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
