import { visibleJsonOf, visibleLineOf } from '@svc/client/text'
import { MirrorStore } from '@svc/mirroring/mirror-store'
import { ForeignStateError, RunningMirror } from '@svc/mirroring/running-mirror'
import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { DEFAULT_PORT_BASE, portOf, resolveFromCaller, SetupError } from '@svc/platform/workspace'
import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'

const HELP = `Usage: scripts/mirror [options]

Runs a mirror: it follows what a deployment publishes in bulk, verifies it, keeps it in one SQLite file, and serves it
read-only with the same paths and proofs, also after the deployment is gone. Exits with 1 if --once found a contradiction,
and with 3 if it could not follow everything.

  --core URL        core of the deployment (default http://localhost:${portOf('core', DEFAULT_PORT_BASE)}); it names the others
  --realm REALM     the realm of the deployment, if it is not the origin of core
  --state FILE      the SQLite file (default mirror.sqlite)
  --port N          the port to listen on (default 8801)
  --host HOST       the address to listen on (default 127.0.0.1)
  --every SECONDS   how often to follow the deployment (default 60)
  --buckets LIST    the buckets of consent to keep, like 0-1023 or 7,12-15; none for no consent (default 0-1023)
  --once            follow once and exit, without listening
  --evidence        print what contradicted what the deployment had signed, and exit with 1 if there is anything
  --help            show this`

/** Failing to reach a deployment proves nothing against it, so it has its own status. */
const NOT_FOLLOWED = 3

await runEntry({
  name: 'scripts/mirror',
  help: HELP,
  options: {
    core: { type: 'string', default: `http://localhost:${portOf('core', DEFAULT_PORT_BASE)}` },
    realm: { type: 'string' },
    state: { type: 'string', default: 'mirror.sqlite' },
    port: { type: 'string', default: '8801' },
    host: { type: 'string', default: '127.0.0.1' },
    every: { type: 'string', default: '60' },
    buckets: { type: 'string', default: `0-${CONSENT_BUCKETS - 1}` },
    once: { type: 'boolean', default: false },
    evidence: { type: 'boolean', default: false },
  },
  async run({ values }) {
    const state = resolveFromCaller(values.state)
    if (values.evidence) return printEvidence(state)
    const mirror = await RunningMirror.start({
      core: originOf(values.core),
      realm: values.realm,
      state,
      host: values.host,
      // One visit serves nobody.
      port: values.once ? 0 : wholeNumber('--port', values.port, { to: 65_535 }),
      everySeconds: wholeNumber('--every', values.every, { from: 1 }),
      buckets: bucketsOf(values.buckets),
      onLine: (line) => console.log(visibleLineOf(line)),
    }).catch((error: unknown) => {
      throw error instanceof ForeignStateError ? new SetupError(error.message) : error
    })
    if (values.once) {
      const outcomes = (await mirror.visit()).map(({ outcome }) => outcome)
      await mirror.stop()
      if (outcomes.includes('false')) return 1
      return outcomes.includes('unreachable') ? NOT_FOLLOWED : 0
    }
    mirror.follow()
    console.log(`The mirror listens at ${mirror.url}`)
    await signalled()
    await mirror.stop()
    return 0
  },
})

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/') throw new UsageError('--core takes an origin')
  return url.origin
}

function bucketsOf(text: string): number[] {
  if (text === 'none') return []
  const buckets = text.split(',').flatMap((part) => {
    const [, from = '', to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? []
    return Array.from({ length: Math.max(0, Number(to) - Number(from) + 1) }, (_, i) => Number(from) + i)
  })
  if (buckets.length > 0 && buckets.every((bucket) => bucket < CONSENT_BUCKETS)) return [...new Set(buckets)]
  throw new UsageError(`--buckets takes numbers and ranges from 0 to ${CONSENT_BUCKETS - 1}, or none`)
}

function printEvidence(state: string): number {
  const store = new MirrorStore(state)
  const evidence = store.evidence()
  for (const one of evidence) console.log(visibleJsonOf({ ...one, at: new Date(one.at).toISOString() }, 2))
  store.close()
  return evidence.length === 0 ? 0 : 1
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
