import { Device } from '@svc/client'
import { safeVerifyOpening, safeVerifyProof, verifyProof } from '@svc/client/verify'
import { signerOf } from './signer.ts'
import { clientOf, LOCAL_ORIGIN, named, type Show, type World } from './world.ts'

/** Unique to this run: on a state folder from an earlier run, a fixed text would already be registered. */
const file = new TextEncoder().encode(`a picture that never leaves this machine, ${crypto.randomUUID()}`)

/** A capsule and its proof, a commitment, and signature verification. */
export async function provenance(world: World, show: Show): Promise<void> {
  await capsules(world, show)
  await proofs(world, show)
  await commitments(world, show)
  await verification(world, show)
}

async function capsules(world: World, show: Show): Promise<void> {
  const { alice, bob } = world
  const { realms } = alice.client
  const sent = await alice.client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
  const again = async () => (await alice.client.provenance.register(sent)).duplicate
  await show('alice: registers a capsule of a picture that stays on her device', 'registered', async () =>
    (await again()) ? 'known' : 'registered',
  )
  await show('alice: registers it again at no cost', 'known, 1 unit', async () => {
    const known = (await again()) ? 'known' : 'registered'
    const meter = (await alice.client.quota.meters()).find(({ kind }) => kind === 'capsule')
    return `${known}, ${meter?.used} unit`
  })
  await show('bob: claims the same picture, and comes second', '2 claims, alice first', async () => {
    await bob.client.provenance.register(await bob.client.provenance.sign(file, { kind: 'image', mime: 'image/png' }))
    const { claims, claimCount } = await clientOf(world).provenance.capsule(sent.capsule.assetId)
    return `${claimCount} claims, ${claims[0]?.did === alice.identity.did ? 'alice' : 'bob'} first`
  })
  await show('alice: her device registers a video', 'device', async () => {
    const camera = await Device.create({ origin: LOCAL_ORIGIN, capabilities: ['provenance:write'] })
    const attestation = await alice.client.devices.attest(
      await camera.acceptance(alice.identity.did, { realm: alice.client.realm, now: Date.now() }),
    )
    const device = await camera.attested(attestation, await alice.client.keyHistory.of(alice.identity.did), realms)
    const { provenance: by } = clientOf(world, { device })
    const { assetId } = await by.register(await by.sign(file.slice(1), { kind: 'video', mime: 'video/mp4' }))
    return (await by.capsule(assetId)).signer.kind
  })
  await show('must fail: alice registers a claim that bob signed', '403 owner_mismatch', async () => {
    const his = await bob.client.provenance.sign(file.slice(2), { kind: 'image', mime: 'image/png' })
    return alice.client.provenance.register(his).then(() => 'registered', named)
  })
}

async function proofs(world: World, show: Show): Promise<void> {
  const { alice } = world
  const { capsule } = await alice.client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
  const bundle = await clientOf(world).provenance.proof(capsule.assetId, alice.identity.did)
  await show('anyone: verifies the proof offline', 'valid, 4 verified', async () => {
    const { verified } = await verifyProof(bundle, {
      realms: alice.client.realms,
      file,
      expectedDid: alice.identity.did,
    })
    return `valid, ${verified.length} verified`
  })
  await show('anyone: learns what the proof does not cover', 'no ledger', async () =>
    bundle.anchor === null && bundle.gaps.some(({ gap }) => gap === 'no_ledger_anchor') ? 'no ledger' : 'a ledger',
  )
  await show('must fail: the proof with another file', 'content_mismatch', async () => {
    const verified = await safeVerifyProof(bundle, { realms: alice.client.realms, file: file.slice(1) })
    return verified.ok ? 'valid' : verified.error.reason
  })
  await show('must fail: an unbound chain', '501', async () => {
    const url = `${world.provenance}/api/provenance/${capsule.assetId}/path`
    return String((await fetch(url)).status)
  })
}

async function commitments(world: World, show: Show): Promise<void> {
  await show('alice: commits to a secret, and opens it later', 'only the secret opens it', async () => {
    const { commitment, saltB64u } = await world.alice.client.provenance.commit(file)
    const read = await clientOf(world).provenance.commitment(commitment.id)
    const [mine, other] = await Promise.all(
      [file, file.slice(1)].map((content) => safeVerifyOpening(read, saltB64u, content)),
    )
    return mine?.ok && !other?.ok ? 'only the secret opens it' : 'does not open'
  })
}

async function verification(world: World, show: Show): Promise<void> {
  const { alice } = world
  const anyone = clientOf(world).provenance
  const message = new TextEncoder().encode('signed by alice')
  const request = {
    publicKeyB64u: alice.identity.publicKeyB64u,
    messageB64u: Buffer.from(message).toString('base64url'),
    signatureB64u: Buffer.from(await signerOf(alice.identity)(message)).toString('base64url'),
  }
  await show('anyone: verifies a signature and the status of its key', 'valid, current', async () => {
    const { valid, keyStatus } = await anyone.verifyWithKeyStatus(request)
    return `${valid ? 'valid' : 'not valid'}, ${keyStatus.state}`
  })
  await show('anyone: verifies a batch with one invalid signature', '2 valid, 1 not', async () => {
    const wrong = { ...request, messageB64u: 'AAAA' }
    const { valid, invalid } = await anyone.verifyBatch([request, wrong, request])
    return `${valid} valid, ${invalid} not`
  })
  await show('must fail: a reused nonce', '400 nonce_replay', async () => {
    const nonce = crypto.randomUUID()
    await anyone.verify({ ...request, nonce })
    return anyone.verify({ ...request, nonce }).then(() => 'valid', named)
  })
}
