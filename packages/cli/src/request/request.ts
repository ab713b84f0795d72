import type { Call } from '#client'
import { CliError, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { argument, type Given, list, option, type Result } from '../result.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']

/** An assertion goes to services of the deployment only: others have no use for it. */
export async function request(context: Context, given: Given): Promise<Result> {
  const method = argument(given, 0).toUpperCase()
  if (!METHODS.includes(method)) throw usage(`"${method}" is not a method`, `choose one of ${METHODS.join(', ')}`)
  const audience = option(given, 'aud')
  const connection = await context.connection()
  const url = URL.parse(argument(given, 1), connection.core)
  if (!url) throw usage(`"${argument(given, 1)}" is not an address`, 'pass a path of core, or the address of a service')
  await mustBeOurs(context, url.origin)
  const sent = await bodyOf(context, given)
  const headers = Object.fromEntries(list(given, 'header').map(pairOf))
  if (context.options.dryRun) return { data: {}, text: `Would send ${method} ${url.href}.` }
  const { Transport } = await import('#client')
  const { core: _, trustStore: __, ...options } = connection
  const transport = new Transport(
    { ...options, realm: connection.realm ?? connection.core },
    audience === undefined ? undefined : await context.asserter(),
  )
  const call: Call = {
    method: method as Call['method'],
    url: url.href,
    ...(audience !== undefined && { audience }),
    ...sent,
    headers,
  }
  const response = await transport.exchange(call)
  const { readText } = await import('#client/functions')
  const text = await readText(response)
  const shown = { status: response.status, headers: Object.fromEntries(response.headers), body: jsonOf(text) }
  return {
    data: shown,
    text: typeof shown.body === 'string' ? text : JSON.stringify(shown.body, null, 2),
    exitCode: response.ok ? EXIT.ok : response.status >= 500 ? EXIT.unreachable : EXIT.refused,
  }
}

/** JSON, a file or a form. */
async function bodyOf(context: Context, given: Given): Promise<Pick<Call, 'body' | 'bytes' | 'contentType'>> {
  const [data, bytes, form] = [option(given, 'data'), option(given, 'bytes'), list(given, 'form')]
  if ([data !== undefined, bytes !== undefined, form.length > 0].filter(Boolean).length > 1)
    throw usage('A request has one body', 'pass one of --data, --bytes and --form')
  if (data !== undefined) return { body: await context.readJson(data) }
  if (bytes !== undefined) return { bytes: await context.read(bytes) }
  if (form.length === 0) return {}
  const text = new URLSearchParams(form.map(pairOf).map((pair) => [...pair])).toString()
  return { bytes: new TextEncoder().encode(text), contentType: 'application/x-www-form-urlencoded' }
}

function pairOf(typed: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(typed) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw usage(`"${typed}" has no name or no value`, 'write it as NAME=VALUE')
}

async function mustBeOurs(context: Context, origin: string): Promise<void> {
  const { discovery } = await context.client('nobody')
  const services = Object.values(discovery?.document.services ?? {}).map(({ url }) => url)
  if (services.includes(origin)) return
  throw new CliError({
    exitCode: EXIT.usage,
    code: 'foreign_service',
    message: `${origin} is not a service of this deployment`,
    next: `pass a path, or an address of ${services.join(', ')}`,
    page: '/developer/discovery',
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
