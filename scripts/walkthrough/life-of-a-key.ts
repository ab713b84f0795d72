import { type Client, Device, type EventNews, type Identity } from '@svc/client'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { clientOf, named, type Person, person, type Show, until, type World } from './world.ts'

/** A second device: its capabilities and its revocation. Then two rotations of the root key. */
export async function lifeOfAKey(world: World, show: Show): Promise<void> {
  const owner = await person(world)
  await owner.client.chain.genesis()
  await owner.client.did.register()
  const phone = await pairing(world, owner, show)
  await deviceAtWork(world, owner, phone, show)
  await rotations(world, owner, phone, show)
  await relay(world, show)
}

async function pairing(world: World, { identity, client }: Person, show: Show): Promise<Device> {
  const capabilities = ['chain:read', 'chain:append', 'account:read', 'rotation:request', 'rotation:cosign'] as const
  const fresh = await Device.create({ origin: 'app:walk-through', capabilities })
  const anyone = clientOf(world)
  const { invitation } = await client.pairing.offer()
  let device = fresh
  let shown = ''
  await show('carol: a phone joins her pairing offer; both show the same code', 'the same code', async () => {
    shown = (await anyone.pairing.join(invitation.toLowerCase(), fresh)).confirmationCode
    const { request } = await client.pairing.read(invitation)
    return request && (await client.pairing.confirmationCodeOf(invitation, request)) === shown
      ? 'the same code'
      : 'another'
  })
  await show('must fail: a second phone joins the same offer', '409 offer_state', async () => {
    const other = await Device.create({ origin: 'app:walk-through', capabilities })
    return anyone.pairing.join(invitation, other).then(() => 'joined', named)
  })
  await show('carol: accepts the phone, which opens what she sealed', 'hello, phone', async () => {
    const attestation = await client.pairing.approve(invitation, shown)
    await client.pairing.seal(invitation, attestation, new TextEncoder().encode('hello, phone'))
    const welcome = await anyone.pairing.take(invitation, fresh)
    device = welcome.device
    return new TextDecoder().decode(welcome.payload ?? undefined)
  })
  await show('must fail: the sealed contents are fetched twice', '404 not_found', async () =>
    anyone.pairing.take(invitation, fresh).then(() => 'taken', named),
  )
  await show('carol: her inception log verifies and names the phone', device.deviceId, async () => {
    const { devices } = await client.devices.verify()
    return devices.map(({ deviceId }) => deviceId).join() === device.deviceId
      ? identity.did && device.deviceId
      : 'others'
  })
  return device
}

async function deviceAtWork(world: World, { client }: Person, device: Device, show: Show): Promise<void> {
  const phone = clientOf(world, { device })
  await show('phone: reads the chain with a version-2 assertion', '0', async () => (await phone.chain.head()).index)
  await show('phone: the DID service accepts its assertion too', '404 not_found', async () =>
    phone.rotation.newest().then(() => 'a rotation', named),
  )
  await show('must fail: the phone exceeds its capabilities', '403 capability_required', async () =>
    phone.security.liftHold().then(() => 'lifted', named),
  )
  await show('phone: places a security hold, which stops the root key too', '409 security_hold', async () => {
    await phone.security.placeHold()
    return client.chain.append({}).then(() => 'appended', named)
  })
  await show('carol: lifts it', '1', async () => {
    await client.security.liftHold()
    return (await client.chain.append({})).index
  })
  await show('phone: the signed event feed tells it so far', 'device.attested, hold.placed, hold.lifted', async () => {
    const { events } = await phone.events.read()
    return events.map(({ kind }) => kind).join(', ')
  })
  await show('phone: watches the feed while carol places a hold', 'hold.placed', async () => {
    const { place } = await phone.events.read()
    const watching = phone.events.watch({ after: place })[Symbol.asyncIterator]()
    const next = watching.next()
    await client.security.placeHold()
    const { value } = (await next) as { readonly value: EventNews }
    await watching.return?.()
    await client.security.liftHold()
    return value.events.map(({ kind }) => kind).join(', ')
  })
}

async function rotations(world: World, owner: Person, device: Device, show: Show): Promise<void> {
  const { identity, client } = owner
  const phone = clientOf(world, { device })
  const successor = await identity.successor()
  // A device counts as a co-signer after one full window.
  await until(Date.now() + (await client.capabilities()).features.rotation.windowMs)
  await show('carol: simulates a rotation', 'would succeed, no rotation', async () => {
    await client.rotation.rehearse(successor, { version: 2 })
    const { latest } = await client.rotation.current()
    return latest === null ? 'would succeed, no rotation' : 'a rotation'
  })
  await show('carol: a rotation that her phone vetoes', 'frozen, 1 freeze', async () => {
    const { rotationId } = await client.rotation.request(await client.rotation.makeRequest(successor, { version: 2 }))
    await phone.rotation.freeze(rotationId)
    const { rotation } = await client.chain.root(identity.did)
    return `${rotation?.status}, ${rotation?.freezes} freeze`
  })
  const rotation = await client.rotation.request(await client.rotation.makeRequest(successor, { version: 2 }))
  await show('must fail: activation while the window is open', '409 rotation_window_open', async () =>
    client.rotation.activate(rotation).then(() => 'active', named),
  )
  await show('anyone: sees the pending rotation', 'pending, 0 of 1 co-signatures', async () => {
    const seen = (await clientOf(world).keyHistory.rotation(identity.did)) ?? rotation
    return `${seen.status}, ${seen.cosignatures} of ${seen.requiredCosigners} co-signatures`
  })
  await phone.rotation.cosign(rotation)
  await until(rotation.deadline ?? 0)
  await show(
    'carol: activates it after its window',
    'active',
    async () => (await client.rotation.activate(rotation)).status,
  )
  await show('must fail: the old root key signs', '401 unauthorized', async () =>
    client.chain.append({}).then(() => 'appended', named),
  )
  await show('must fail: the phone, attested by the old key', '401 unauthorized', async () =>
    phone.chain.head().then(() => 'read', named),
  )
  await newKey(world, successor, device, show)
}

async function newKey(world: World, identity: Identity, device: Device, show: Show): Promise<void> {
  const client = clientOf(world, { identity })
  await show('carol: continues the same chain with her new key', '2, verified', async () => {
    const { index } = await client.chain.append({})
    return `${index}, ${(await client.chain.safeVerify()).ok ? 'verified' : 'broken'}`
  })
  await show(
    'carol: her DID resolves to the new key, with the old one in its history',
    '#root-1, 1 previous',
    async () => {
      await client.did.register()
      const { didDocument, didDocumentMetadata } = await clientOf(world).did.resolve(identity.did)
      const key = didDocument?.verificationMethod[0]?.id.replace(identity.did, '')
      return `${key}, ${didDocumentMetadata.previousKeys?.length ?? 0} previous`
    },
  )
  await show('carol: attests the phone again, and revokes it permanently', '200, 401 unauthorized', async () => {
    const attestation = await client.devices.attest(
      await device.acceptance(identity.did, { realm: client.realm, inception: await client.devices.head() }),
    )
    const member = await device.attested(attestation, await client.keyHistory.of(identity.did), client.realms)
    const phone = clientOf(world, { device: member })
    await phone.chain.head()
    await client.devices.revoke(device.deviceId)
    return `200, ${await phone.chain.head().then(() => 'read', named)}`
  })
  await operatorRotation(world, { identity, client }, show)
}

/** Version-1 rotation: the operator approves, and the owner activates. */
async function operatorRotation(world: World, { identity, client }: Person, show: Show): Promise<void> {
  const { core, did, secrets } = world
  const next = await identity.successor()
  const { rotationId, version } = await client.rotation.request(await client.rotation.makeRequest(next, { version: 1 }))
  await show('must fail: a version-1 rotation without approval', '409 rotation_unapproved', async () =>
    client.rotation.activate({ rotationId, version }).then(() => 'active', named),
  )
  await show('operator: approves it, and carol activates', 'active, epoch 2', async () => {
    const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(24)))
    const statement = {
      type: 'svc/operator-rotation-approve/v1',
      realm: client.realm,
      service: 'core',
      did: identity.did,
      rotationId,
      nonce,
      issuedAt: Date.now(),
    } as const
    const act = await signStatement(statement, (message) => mlDsa65.sign(secrets.operatorSeed, message))
    const headers = { 'content-type': 'application/json' }
    await fetch(`${core}/api/operator/acts`, { method: 'POST', headers, body: JSON.stringify(act) })
    const { status, epoch } = await client.rotation.activate({ rotationId, version })
    await clientOf({ core, did }, { identity: next }).rotation.noteActivation(rotationId)
    return `${status}, epoch ${epoch}`
  })
  await show('anyone: finds both rotations and key agreements among the updates of carol’s account', '4', async () => {
    const { transparency } = clientOf(world)
    const since = Date.now()
    const updates = async () => (await transparency.follow(identity.did)).seq
    // Core reports them right after they take effect.
    while ((await updates()) < 4 && Date.now() - since < 10_000) await until(Date.now() + 500)
    return String(await updates())
  })
}

async function relay(world: World, show: Show): Promise<void> {
  const { client } = await person(world)
  await client.chain.genesis()
  const tablet = await Device.create({ origin: 'app:walk-through', capabilities: ['chain:read'] })
  const anyone: Client = clientOf(world)
  await show('dave: authorizes a tablet through the relay', 'a wrapped key, head 0', async () => {
    const { invitation } = await client.authorization.offer()
    const { confirmationCode } = await anyone.authorization.join(invitation, tablet)
    const attestation = await client.authorization.approve(invitation, confirmationCode)
    await client.authorization.grant(invitation, attestation, new TextEncoder().encode('a wrapped key'))
    const { device, payload } = await anyone.authorization.take(invitation, tablet)
    const { index } = await clientOf(world, { device }).chain.head()
    return `${new TextDecoder().decode(payload ?? undefined)}, head ${index}`
  })
}
