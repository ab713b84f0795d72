/**
 * “Try it” of the API reference: the same call in TypeScript and with curl, against a local start.
 *
 * @module
 */
import type { ShownOperation } from '@svc/service/markdown'
import { EXPLAINED } from '../calls/given.ts'
import { callsOf, type ShownCall } from './calls.ts'
import { type Command, commandOf } from './commands.ts'
import { operatorCommand, withoutTrial } from './exceptions.ts'
import { REFUSALS } from './values.ts'

export interface Trials {
  /** Once, at the top of a page that has these operations. */
  readonly preamble: (operations: readonly ShownOperation[]) => string[]
  readonly of: (operation: ShownOperation) => string[]
  /** A link that opens an operation in the console. */
  readonly link: (operation: ShownOperation) => string[]
}

/** The names that each call starts from, as code. A test makes the same. */
export const PREAMBLE = `import { Client, Identity } from '@svc/client'

const [core, origin] = ['http://localhost:8787', 'http://localhost:3000']
const identity = await Identity.create()
const client = await Client.connect({ core, identity, origin })
await client.chain.genesis()`

/** Of sign-in, which has a client of its own. */
export const SIGN_IN_PREAMBLE = `import { SignIn } from '@svc/client/sign-in'

const person = new SignIn({ auth: 'http://localhost:8792', origin: 'http://localhost:3000' })`

const START =
  'To try these operations, start the services on your machine with `scripts/start --no-walk`. The ' +
  '[request explorer](/developer/console#requests) of the console sends any of them, there and in a deployment.'
/** The docs Worker knows the origin of the console, and leaves the paragraph out where there is none. */
const CONSOLE = 'https://console.invalid'
const CONTINUED = 'The TypeScript examples continue this program, which uses [the SDK](/developer/sdk#install):'
const ASSERTED =
  'The commands run in a clone of the repository. `scripts/assertion` creates a throw-away identity on the local services ' +
  'and makes the [credential](/developer/assertions) of each request with it.'

export function trialsOf(service: string): Trials {
  const calls = callsOf(service)
  const callOf = ({ operation }: ShownOperation) => calls.get(operation.operationId ?? '')
  const textOf = (shown: ShownOperation) => {
    const act = operatorCommand(service, shown)
    if (act !== undefined) return act
    const command = commandOf(service, shown)
    return 'text' in command && withoutTrial(service, shown) === undefined ? command.text : undefined
  }
  return {
    preamble(operations) {
      const commands = operations.flatMap((shown) => textOf(shown) ?? [])
      const hasCalls = operations.some((shown) => callOf(shown) !== undefined)
      if (commands.length === 0 && !hasCalls) return []
      const code = service === 'auth' ? SIGN_IN_PREAMBLE : PREAMBLE
      return [
        '',
        START,
        ...(commands.some((text) => text.includes('scripts/assertion')) ? ['', ASSERTED] : []),
        ...(hasCalls ? ['', CONTINUED, '', '```ts', code, '```'] : []),
      ]
    },
    link: ({ operation }) => [
      '',
      `[Open in the request explorer](${CONSOLE}/requests#${service}.${operation.operationId})`,
    ],
    of(shown) {
      const reason = withoutTrial(service, shown)
      if (reason !== undefined) return ['', `**Try it**: ${reason}`]
      const act = operatorCommand(service, shown)
      if (act !== undefined) return ['', '**Try it**, as the operator of the local services:', '', '```sh', act, '```']
      const [call, command] = [callOf(shown), commandOf(service, shown)]
      if (!call && 'whyNot' in command) return []
      return [
        '',
        `**Try it**${call ? explained(call) : ''}`,
        ...(call ? ['', '```ts', call.code, '```'] : []),
        ...('text' in command ? ['', '```sh', command.text, '```'] : []),
        ...refusalOf(service, shown, command),
        ...('whyNot' in command ? ['', `There is no curl command: ${command.whyNot}.`] : []),
      ]
    },
  }
}

function refusalOf(service: string, { operation }: ShownOperation, command: Command): string[] {
  const refusal = REFUSALS[`${service} ${operation.operationId}`]
  if (refusal === undefined || 'whyNot' in command) return []
  const { status, error, until } = refusal
  return ['', `With curl you get ${status}${error === undefined ? '' : ` \`${error}\``} until ${until}.`]
}

/** What the names mean that the preamble does not make. */
function explained({ given }: ShownCall): string {
  const unknown = given.flatMap((name) => {
    const meaning = EXPLAINED[name as keyof typeof EXPLAINED]
    return meaning === undefined ? [] : [`\`${name}\` is ${meaning}`]
  })
  return unknown.length === 0 ? '' : ` (${unknown.join('; ')})`
}
