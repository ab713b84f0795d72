import { setTimeout } from 'node:timers/promises'
import { EpochVault } from '@svc/client/epoch-vault'
import { sendOperatorAct } from '@svc/operations/operator-act'
import type { StatementType } from '@svc/protocol/base/statement'
import { LOCAL_ORIGIN, named, newcomer, type Show, type World } from './world.ts'

type Person = Awaited<ReturnType<typeof newcomer>>

/** Three people share notes for an epoch; one is removed, and reads nothing that is written from then on. */
export async function epochVault(world: World, show: Show): Promise<void> {
  const { keys, secrets, core } = world
  const operator = async (type: StatementType, members: Readonly<Record<string, unknown>>) => {
    const act = { type, service: 'keys', members } as const
    return sendOperatorAct({ service: keys, realm: core }, secrets.operatorSeed, act, { origin: LOCAL_ORIGIN })
  }
  const people = await Promise.all([newcomer(world), newcomer(world), newcomer(world)])
  const [ada, ben, eve] = people
  const { client } = ada
  // The epoch of the section before may be open for some more seconds.
  for (let open = await client.epochs.current(); open.epoch !== null; open = await client.epochs.current())
    await setTimeout(Math.max(100, open.epoch.closesAt - Date.now()))
  const now = Date.now()
  const epoch = Math.floor(now / 1000)
  await operator('svc/operator-epoch/v1', { epoch, opensAt: now, closesAt: now + 20_000 })
  const decide = ({ identity: { did } }: Person, action: 'admit' | 'remove') =>
    operator('svc/operator-epoch-member/v1', { epoch, did, action })
  await show('operator: admits three people to the vault of an epoch; they join', '3 members', async () => {
    for (const one of people) {
      await one.client.chain.genesis()
      await one.client.did.register()
      await one.client.epochs.join()
      await one.client.epochs.acknowledge(epoch)
      await decide(one, 'admit')
    }
    return `${(await (await EpochVault.open(client, epoch)).members()).members.length} members`
  })
  const [hers, his, eves] = await Promise.all([ada, ben, eve].map((one) => EpochVault.open(one.client, epoch)))
  if (!hers || !his || !eves) throw new Error('there are three vaults')
  const first = await hers.write({ title: 'Plan', body: 'Meet at noon' })
  await show('ada: writes a note, and the others read it', 'Meet at noon, Meet at noon', async () => {
    const read = await Promise.all([his, eves].map((vault) => vault.read(first.noteId)))
    return read.map(({ body }) => body).join(', ')
  })
  await show('must fail: somebody whom the operator did not admit', '404 not_found', async () => {
    const stranger = await EpochVault.open(world.bob.client, epoch)
    return stranger.members().then(() => 'a member', named)
  })
  await decide(eve, 'remove')
  const second = await his.write({ body: 'Without eve' })
  await show(
    'operator: removes eve; the next note is under a new key',
    '1, then 2',
    async () => `${first.generation}, then ${second.generation}`,
  )
  await show('ada: reads both', 'Meet at noon, Without eve', async () => {
    const read = [await hers.read(first.noteId), await hers.read(second.noteId)]
    return read.map(({ body }) => body).join(', ')
  })
  await show('must fail: eve reads the new note', '404 not_found', async () =>
    eves.read(second.noteId).then(() => 'read', named),
  )
}
