import { Device, Transport } from '@svc/client'
import { LogAuditor } from '@svc/client/audit'
import { guardianRequestId, makeContactPass, makeKeyPackage, makePrekeys, mlKem768 } from '@svc/client/functions'
import { sendOperatorAct } from '@svc/operations/operator-act'
import { bytesOf } from '@svc/protocol/base/base64url'
import { clientOf, LOCAL_ORIGIN, named, newcomer, type Show, type World } from './world.ts'

const SUBJECT = 'a7'.repeat(48)

/** A device publishes prekeys, others reserve them, the log records everything, and a revocation ends it. */
export async function keyDirectory(world: World, show: Show): Promise<void> {
  const { alice, bob } = world
  const { identity, client } = alice
  const keys = await Device.create({ origin: 'app:walk-through', capabilities: ['prekeys:write'] })
  const attestation = await client.devices.attest(
    await keys.acceptance(identity.did, { realm: client.realm, now: Date.now() }),
  )
  const device = await keys.attested(attestation, await client.keyHistory.of(identity.did), client.realms)
  const { deviceId } = device
  const { upload, seeds } = await makePrekeys(device, { realm: client.realm, now: Date.now() }, { count: 3 })
  const keyPackage = await makeKeyPackage(device, { realm: client.realm, now: Date.now() })
  const anyone = clientOf(world).transparency
  const before = await anyone.checkpoint()

  const published = await client.keyDirectory.publish(keyPackage, { prekeys: [upload], version: 1 })
  await show('alice: publishes a device with three prekeys', '3 left, low', async () => {
    const [stock] = published.stock
    return `${stock?.oneTime} left, ${stock?.low ? 'low' : 'enough'}`
  })
  await show('anyone: finds it in the log, which only grew', 'proved, extends', async () => {
    const { checkpoint } = await anyone.waitFor(published.package)
    const extended = await anyone.safeVerifyExtension(before, checkpoint)
    return `proved, ${extended.ok ? 'extends' : extended.error.reason}`
  })
  await show('bob: reserves a prekey, and alice opens his message', 'one-time, opened', async () => {
    const { prekey, receipt } = await bob.client.keyDirectory.reserve(identity.did, deviceId, { key: 'first' })
    const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(prekey.publicKeyB64u))
    const seed = seeds.get(prekey.prekeyId)
    const opened = seed && (await mlKem768.decapsulate(seed, ciphertext))
    const isSame = opened?.every((byte, i) => byte === sharedSecret[i])
    return `${receipt.statement.kind}, ${isSame ? 'opened' : 'closed'}`
  })
  await show('bob: reserves four more at once', '2 reserved, 2 refused', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () =>
        bob.client.keyDirectory.reserve(identity.did, deviceId).then(() => 'reserved', named),
      ),
    )
    const reserved = outcomes.filter((outcome) => outcome === 'reserved').length
    const refused = outcomes.filter((outcome) => outcome === '409 prekeys_exhausted').length
    return `${reserved} reserved, ${refused} refused`
  })
  await show('alice: sees who drained the pool', 'bob, 3 times', async () => {
    const { reservations } = await client.keyDirectory.pool(deviceId)
    const byBob = reservations.filter(({ requesterDid }) => requesterDid === bob.identity.did)
    return `${byBob.length === reservations.length ? 'bob' : 'somebody'}, ${reservations.length} times`
  })
  const phone = clientOf(world, { device })
  await show('alice’s device: adds two prekeys', '2', async () => {
    const more = await makePrekeys(device, { realm: client.realm, now: Date.now() }, { count: 2 })
    return String((await phone.keyDirectory.addPrekeys(deviceId, [more.upload]))[0]?.oneTime)
  })
  await show('alice: gives prekeys to contacts only, then lists bob', '409 prekeys_exhausted, reserved', async () => {
    const passB64u = makeContactPass()
    const reserve = () =>
      bob.client.keyDirectory
        .reserve(identity.did, deviceId, { contactPassB64u: passB64u })
        .then(() => 'reserved', named)
    await client.keyDirectory.configure({ reserve: 'contacts', contacts: [] })
    const refused = await reserve()
    await client.keyDirectory.configure({ reserve: 'contacts', contacts: [{ did: bob.identity.did, passB64u }] })
    return `${refused}, ${await reserve()}`
  })
  await show('must fail: a last-resort prekey with bound v4', '400 one_time_required', async () =>
    bob.client.keyDirectory
      .reserve(identity.did, deviceId, { fallbackPolicy: 'last-resort-allowed' })
      .then(() => 'reserved', named),
  )
  await show('must fail: bob reads alice’s reservation history', '403 owner_mismatch', async () => {
    const url = `${world.keys}/api/key-directory/${identity.did}/devices/${deviceId}/prekeys`
    const authorization = await bob.identity.assertion({ audience: 'keys', method: 'GET', url, now: Date.now() })
    const response = await fetch(url, { headers: { authorization } })
    return `${response.status} ${((await response.json()) as { error: string }).error}`
  })
  const revoked = await client.keyDirectory.revoke(deviceId, 1)
  await show('must fail: a prekey of a revoked package', '409 package_revoked', async () =>
    bob.client.keyDirectory.reserve(identity.did, deviceId).then(() => 'reserved', named),
  )
  await show('anyone: finds the revocation in the log', 'proved', async () => {
    await anyone.waitFor(revoked)
    return 'proved'
  })
  await show('bob: accounts for everything that alice published', 'whole, follows', async () => {
    const { seq, head } = await bob.client.keyDirectory.list(identity.did)
    const followed = await anyone.follow(identity.did)
    return followed.seq === seq && followed.head === head ? 'whole, follows' : 'something is missing'
  })
}

/** Guardians attest, alice joins an epoch, and an auditor follows the log from outside. */
export async function guardiansAndEpochs(world: World, show: Show): Promise<void> {
  const { alice, bob, keys, secrets } = world
  const { client } = alice
  const guardian = await newcomer(world)
  await guardian.client.chain.genesis()
  const guardians = [bob.identity.did, guardian.identity.did]
  const request = await client.guardians.makeRequest({ subjectHash: SUBJECT, guardians, threshold: 2 })
  const requestId = guardianRequestId(request.statement)
  await show('alice: requests two guardians, and both attest', 'pending, then met', async () => {
    await client.guardians.open(request)
    const { state } = await bob.client.guardians.attest(requestId, SUBJECT)
    return `${state}, then ${(await guardian.client.guardians.attest(requestId, SUBJECT)).state}`
  })
  await show('must fail: a guardian attests twice', '409 guardian_attested', async () =>
    bob.client.guardians.attest(requestId, SUBJECT).then(() => 'attested', named),
  )
  await show('anyone: finds no open epoch', 'No epoch is active', async () => {
    const { epoch, message = '' } = await client.epochs.current()
    return epoch === null ? message : 'open already'
  })
  await show('operator: opens an epoch; alice joins and acknowledges it', '200, joined, acknowledged', async () => {
    const now = Date.now()
    // A number that no earlier run on this state has used, and an end before the next run can start.
    const members = { epoch: Math.floor(now / 1000), opensAt: now, closesAt: now + 10_000 }
    const act = { type: 'svc/operator-epoch/v1', service: 'keys', members } as const
    const { status } = await sendOperatorAct({ service: keys, realm: world.core }, secrets.operatorSeed, act, {
      origin: LOCAL_ORIGIN,
    })
    const joined = await client.epochs.join()
    const { acknowledgedAt } = await client.epochs.acknowledge(joined.epoch)
    return `${status}, joined, ${acknowledgedAt === null ? 'not yet' : 'acknowledged'}`
  })
  const { keys: listKeys } = await (await clientOf(world).transparency.logs()).list()
  const auditor = new LogAuditor(new Transport({ realm: world.core, origin: LOCAL_ORIGIN }), keys, listKeys)
  await show('an auditor: recomputes the whole log', 'holds', async () => {
    const visit = await auditor.safeFollow(null)
    return visit.ok ? 'holds' : visit.error.reason
  })
}
