/**
 * A request as texts that send the same elsewhere. Pure.
 *
 * @module
 */
import { shownTextOf } from '@svc/client/text'
import type { Prepared } from './request.ts'
import { isSocket, protocolsOf } from './socket.ts'

/** What a browser adds when it opens a WebSocket, with a key that the server hashes. */
const HANDSHAKE = [
  '-N --http1.1',
  "-H 'connection: Upgrade' -H 'upgrade: websocket' -H 'sec-websocket-version: 13'",
  '-H "sec-websocket-key: $(head -c 16 /dev/urandom | base64)"',
]

/** For a POSIX shell. The assertion counts for one request within a minute, so each run makes another. */
export function curlOf(prepared: Prepared, audience: string | null): string {
  const { method, url, headers, body } = prepared
  const text = body === null ? '' : shownTextOf(body)
  const isPlain = method === 'GET' || (method === 'POST' && text !== '')
  const how = isPlain ? [] : [method === 'HEAD' ? '-I' : `-X ${method}`]
  const ofBody = text === '' ? '' : ' "$body"'
  const options = [
    ...how,
    ...(isSocket(prepared) ? HANDSHAKE : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(audience === null ? [] : [`-H "$(scripts/assertion ${audience} ${method} "$url"${ofBody})"`]),
    ...(text === '' ? [] : ['--data-binary "$body"']),
  ]
  return [
    `url=${quoted(url)}`,
    ...(text === '' ? [] : [`body=${quoted(text)}`]),
    ['curl -s', ...options, '"$url"'].join(' '),
  ].join('\n')
}

/** The same with the SDK: a transport sends any request of a deployment. A WebSocket is the runtime's own. */
export function codeOf(prepared: Prepared, audience: string | null, core: string): string {
  if (isSocket(prepared)) return socketCode(prepared)
  const { method, url, headers, body } = prepared
  const { 'content-type': contentType, ...others } = headers
  const members = [
    `method: '${method}'`,
    `url: ${JSON.stringify(url)}`,
    ...(audience === null ? [] : [`audience: '${audience}'`]),
    ...(Object.keys(others).length === 0 ? [] : [`headers: ${JSON.stringify(others)}`]),
    ...(body ? bodyMembers(shownTextOf(body), contentType ?? '') : []),
  ]
  return [
    audience === null ? "import { Transport } from '@svc/client'" : "import { Identity, Transport } from '@svc/client'",
    '',
    ...(audience === null ? [] : ['const identity = await Identity.create()']),
    `const transport = new Transport({ realm: ${JSON.stringify(core)} }${audience === null ? '' : ', identity'})`,
    'const response = await transport.exchange({',
    ...members.map((member) => `  ${member},`),
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function bodyMembers(text: string, contentType: string): readonly string[] {
  if (contentType === 'application/json' && isJson(text)) return [`body: ${text.replaceAll('\n', '\n  ')}`]
  return [
    `bytes: new TextEncoder().encode(${JSON.stringify(text)})`,
    ...(contentType === 'application/octet-stream' ? [] : [`contentType: '${contentType}'`]),
  ]
}

function socketCode(prepared: Prepared): string {
  const { url } = prepared
  return [
    `const socket = new WebSocket(${JSON.stringify(url.replace(/^http/, 'ws'))}, ${JSON.stringify(protocolsOf(prepared))})`,
    "socket.addEventListener('message', ({ data }) => console.log(data))",
  ].join('\n')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
