import { readFileSync } from 'node:fs'
import { runEntry, UsageError } from '../entry.ts'
import { DEFAULT_PORT_BASE, DEFAULT_STATE_DIR, portOf, resolveFromCaller, SetupError } from '../workspace.ts'
import { throwAwayIdentity } from './throw-away-identity.ts'

const AUDIENCES = ['chain', 'core', 'genesis', 'notes', 'identity', 'console', 'keys', 'provenance'] as const
const CORE = `http://localhost:${portOf('core', DEFAULT_PORT_BASE)}`

const HELP = `Usage: scripts/assertion AUDIENCE METHOD URL [BODY]
       scripts/assertion --did
       scripts/assertion --user-id

Prints the Authorization header of one request to the services of scripts/start, for curl -H: an assertion of a
throw-away identity, for this method, this URL and this body. It can be sent once, within a minute.

  AUDIENCE    ${AUDIENCES.slice(0, 6).join(', ')},
              ${AUDIENCES.slice(6).join(' or ')}: the API reference says which
  BODY        the body as curl -d takes it: the text itself, or @FILE
  --did       print the DID of the identity
  --user-id   print its userId
  --core URL  where core is, which gets the identity on first use (default ${CORE})
  --state DIR the folder where the identity is kept (default .state)
  --help      show this

Example:
  url=${CORE}/api/chain/head
  curl -H "$(scripts/assertion chain GET $url)" $url`

await runEntry({
  name: 'scripts/assertion',
  help: HELP,
  operands: true,
  options: {
    did: { type: 'boolean', default: false },
    'user-id': { type: 'boolean', default: false },
    core: { type: 'string', default: CORE },
    state: { type: 'string' },
  },
  async run({ values, positionals }) {
    const isName = values.did || values['user-id']
    const asked = isName ? undefined : requestOf(positionals)
    if (isName && positionals.length > 0) throw new UsageError('--did and --user-id take no request')
    const core = localAddress(values.core)
    const stateDir = values.state === undefined ? DEFAULT_STATE_DIR : resolveFromCaller(values.state)
    const identity = await throwAwayIdentity(stateDir, core.origin)
    if (values.did) return console.log(identity.did)
    if (values['user-id']) return console.log(identity.userId)
    if (asked) console.log(`Authorization: ${await identity.assertion(asked)}`)
  },
})

function requestOf([audience = '', method = '', address = '', body, ...rest]: readonly string[]) {
  if (address === '' || rest.length > 0) throw new UsageError('Name an audience, a method, a URL and at most one body')
  const known = AUDIENCES.find((one) => one === audience)
  if (known === undefined) throw new UsageError(`No service has the audience ${audience}`)
  if (!/^[A-Z]+$/.test(method)) throw new UsageError('Write the method in capitals, like GET')
  localAddress(address)
  return { audience: known, method, url: address, ...(body === undefined ? {} : { body: bytesOf(body) }) }
}

/** As curl reads `-d`, except that it keeps the line breaks of a file: send that with `--data-binary`. */
function bytesOf(body: string): Uint8Array {
  if (!body.startsWith('@')) return new TextEncoder().encode(body)
  return new Uint8Array(readFileSync(resolveFromCaller(body.slice(1))))
}

/** The identity signs for nobody but this machine: what it signs is printed, and could be sent anywhere. */
function localAddress(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' && ['localhost', '127.0.0.1'].includes(url.hostname)) return url
  throw new SetupError(
    `${text} is not on this machine: scripts/assertion is for http://localhost and http://127.0.0.1 only. The SDK ` +
      'makes assertions of your own identity.',
  )
}
