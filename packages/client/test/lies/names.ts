import { Client } from '../../src/client.ts'
import { Services } from '../../src/services/services.ts'
import { Transport } from '../../src/transport/transport.ts'
import { alice } from '../sides.ts'

const places = {
  core: 'https://core.test',
  did: 'https://did.test',
  keys: 'https://keys.test',
  pay: 'https://pay.test',
  consent: 'https://consent.test',
  provenance: 'https://provenance.test',
}
const options = { ...places, identity: alice }

/** The methods whose twins something has as its own members. */
const twinsOf = (of: object, prefix = '') =>
  Object.getOwnPropertyNames(of)
    .filter((name) => /^safe[A-Z]/.test(name))
    .map((name) => `${prefix}${name[4]?.toLowerCase() ?? ''}${name.slice(5)}`)

/** What is exported: functions, and classes with static methods. */
const exportedBy = (module: object) => [
  ...twinsOf(module),
  ...Object.entries(module).flatMap(([name, one]) => (typeof one === 'function' ? twinsOf(one, `${name}.`) : [])),
]

/** Every public method and function that has a twin, as the table names them. */
export async function verifyingNames(): Promise<string[]> {
  const client = new Client(options)
  const transport = new Transport({ realm: places.core }, alice)
  const services = new Services({ transport, memory: client.memory, options })
  const loaded = await Promise.all(
    Object.entries(services).map(async ([name, load]) =>
      twinsOf(await (load as () => Promise<object>)(), `client.${name}.`),
    ),
  )
  const { kept } = await alice.prepareRecovery({ realm: places.core, now: 0 })
  const { AnchorAuditor, LogAuditor, ...audit } = await import('../../src/audit.ts')
  const modules = await Promise.all([
    import('../../src/index.ts'),
    import('../../src/verify.ts'),
    import('../../src/functions.ts'),
    import('../../src/auth/sign-in.ts'),
  ])
  const names = [
    ...twinsOf(client, 'client.'),
    ...loaded.flat(),
    ...twinsOf(await services.recovery(kept), 'client.recovery.'),
    ...twinsOf(await client.anchors.logs(), 'TrustedLogs.'),
    ...twinsOf(new LogAuditor(transport, places.keys), 'LogAuditor.'),
    ...twinsOf(new AnchorAuditor(transport, places.core), 'AnchorAuditor.'),
    ...[audit, ...modules].flatMap(exportedBy),
  ]
  return [...new Set(names)].filter((name) => !name.startsWith('client.deployment.'))
}
