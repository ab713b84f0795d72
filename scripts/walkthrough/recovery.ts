import { Device, type Lazy, type PreparedRecovery, type RecoveringDevice, type Recovery } from '@svc/client'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { clientOf, named, newcomer, type Person, type Show, until, type World } from './world.ts'

interface Victim {
  /** Has a copy of the root key. */
  readonly thief: Person
  readonly phone: RecoveringDevice
  readonly prepared: PreparedRecovery
  /** The owner’s way back, sent by a friend: the thief may revoke every device. */
  readonly recovery: Lazy<Recovery>
}

/** A stolen root key, and its owner with what `prepareRecovery` kept: without an operator, and with one. */
export async function recovery(world: World, show: Show): Promise<void> {
  const friend = await newcomer(world)
  await friend.client.chain.genesis()
  const [frank, grace] = [
    await victim(world, friend, ['rotation:cosign']),
    await victim(world, friend, ['account:read']),
  ]
  // A device has standing after one full window.
  await until(Date.now() + (await friend.client.capabilities()).features.rotation.windowMs)
  await contested(world, frank, show)
  await withTheOperator(world, grace, show)
}

async function victim(
  world: World,
  friend: Person,
  capabilities: readonly ('rotation:cosign' | 'account:read')[],
): Promise<Victim> {
  const { identity, client } = await newcomer(world)
  await client.chain.genesis()
  const phone = await Device.create({ origin: 'app:walk-through', capabilities })
  await client.devices.attest(await phone.acceptance(identity.did, { realm: client.realm, now: Date.now() }))
  const prepared = await identity.prepareRecovery({ realm: client.realm, now: Date.now() })
  return {
    thief: { identity, client },
    phone,
    prepared,
    recovery: friend.client.recovery(JSON.parse(JSON.stringify(prepared.kept))),
  }
}

async function contested(world: World, { thief, phone, prepared, recovery: way }: Victim, show: Show): Promise<void> {
  await show('thief of frank’s root key: revokes his phone, and requests a rotation', 'pending', async () => {
    await thief.client.devices.revoke(phone.deviceId)
    return (await rotatedBy(thief)).status
  })
  await show('frank: starts his recovery with the revoked phone', 'waiting, finish', async () => {
    await way.recover({ successor: prepared.successor, device: phone })
    return stepOf(way)
  })
  await show('thief: contests it', 'contested, finish', async () => {
    await thief.client.rotation.cancel((await way.status()).rotation?.rotationId ?? '')
    return stepOf(way)
  })
  await show('must fail: the thief stops it', '409 rotation_cosigned', async () =>
    thief.client.rotation.freeze((await way.status()).rotation?.rotationId ?? '').then(() => 'stopped', named),
  )
  await until((await way.status()).next.at ?? 0)
  await recovered(world, 'frank', { way, prepared }, show)
}

async function withTheOperator(
  world: World,
  { thief, phone, prepared, recovery: way }: Victim,
  show: Show,
): Promise<void> {
  await rotatedBy(thief)
  await show('must fail: grace recovers with a phone that can only veto', '403 not_eligible', async () =>
    way.start(phone).then(() => 'started', named),
  )
  await show('grace: stops the rotation of the thief with it', 'frozen', async () => (await way.contest(phone)).status)
  await show('operator: approves the request that grace kept', 'due, finish', async () => {
    const { did, rotationId, request } = await way.forOperator()
    const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(24)))
    const type = 'svc/operator-rotation-approve/v1'
    const { realm } = request.statement
    const about = { did, rotationId, request }
    const statement = { type, realm, service: 'core', ...about, nonce, issuedAt: Date.now() } as const
    const act = await signStatement(statement, (message) => mlDsa65.sign(world.secrets.operatorSeed, message))
    const headers = { 'content-type': 'application/json' }
    await fetch(`${world.core}/api/operator/acts`, { method: 'POST', headers, body: JSON.stringify(act) })
    return stepOf(way)
  })
  await show('must fail: the thief requests the rotation again', '409 rotation_pending', async () =>
    rotatedBy(thief).then(() => 'requested', named),
  )
  await recovered(world, 'grace', { way, prepared }, show)
}

/** A rotation to a key of the thief. */
async function rotatedBy({ identity, client }: Person) {
  return client.rotation.request(await client.rotation.makeRequest(await identity.successor(), { version: 2 }))
}

async function recovered(
  world: World,
  name: string,
  { way, prepared }: { readonly way: Lazy<Recovery>; readonly prepared: PreparedRecovery },
  show: Show,
): Promise<void> {
  await show(`${name}: has the identity back, and continues its chain`, 'done, continue, 1', async () => {
    const { rotationId } = await way.finish()
    const owner = clientOf(world, { identity: prepared.successor })
    await owner.rotation.noteActivation(rotationId)
    return `${await stepOf(way)}, ${(await owner.chain.append({})).index}`
  })
}

async function stepOf(way: Lazy<Recovery>): Promise<string> {
  const { stage, next } = await way.status()
  return `${stage}, ${next.act}`
}
