import { Client, DiscoveryError } from '@svc/client'
import { LOCAL_ORIGIN, type Show, type World } from './world.ts'

/** What a client finds that knows only where core is. */
export async function discovery({ core, urls, alice }: World, show: Show): Promise<void> {
  const options = { core, origin: LOCAL_ORIGIN }
  await show(
    'anyone: finds every service by the address of core',
    'first-seen, 8 services, all as they run',
    async () => {
      const found = (await Client.connect(options)).discovery
      const services = Object.entries(found?.document.services ?? {})
      const areRunning = services.every(([name, { url }]) => urls[name] === url)
      return `${found?.trust}, ${services.length} services, ${areRunning ? 'all as they run' : 'some elsewhere'}`
    },
  )
  await show('anyone: is pointed to core by every other service', 'all 7', async () => {
    const others = Object.entries(urls).filter(([name]) => name !== 'core')
    const pointers = await Promise.all(
      others.map(async ([, url]) => (await fetch(`${url}/.well-known/svc`)).json() as Promise<{ discovery: string }>),
    )
    return `all ${pointers.filter((pointer) => pointer.discovery === `${core}/.well-known/svc`).length}`
  })
  const pinned = (await Client.connect(options)).discovery?.pin
  if (!pinned) throw new Error('nothing was pinned')
  const client = await Client.connect({ ...options, identity: alice.identity, pinned })
  await show('alice: comes back with her pin, and trusts the keys in it', 'given, a receipt, a proof', async () => {
    const { statement } = await client.quota.consume('search', { key: 'discovery' })
    const { didResolutionMetadata } = await client.did.resolve(alice.identity.did)
    const proof = didResolutionMetadata.proof ? 'a proof' : 'no proof'
    return `${client.discovery?.trust}, ${statement.key === 'discovery' ? 'a receipt' : 'none'}, ${proof}`
  })
  await show('alice: reads the list of logs, signed with the keys in her pin', 'given, 4 logs, twice', async () => {
    const lists = await Promise.all([client.transparency.logs(), client.anchors.logs()])
    const [keys, anchors] = await Promise.all(
      lists.map(async (one) => `${one.pinned}, ${(await one.list()).logs.length} logs`),
    )
    return keys === anchors ? `${keys}, twice` : `${keys}; ${anchors}`
  })
  await show('must fail: a deployment under another realm than the pinned one', 'foreign_realm', async () =>
    Client.connect({ ...options, pinned: { ...pinned, realm: 'https://core.victim.example' } }).then(
      () => 'connected',
      (error: unknown) => (error instanceof DiscoveryError ? error.reason : String(error)),
    ),
  )
}
