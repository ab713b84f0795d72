import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operationsIn, type RenderedDocument, type ShownOperation } from '@svc/service/markdown'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { EXPLAINED } from '../calls/given.ts'
import { ROOT } from '../root.ts'
import { SERVICES } from '../sources.ts'
import { callFiles, callsIn, callsOf } from './calls.ts'
import { commandOf } from './commands.ts'
import { EXCEPTIONS, operatorCommand, withoutTrial } from './exceptions.ts'
import { PREAMBLE, SIGN_IN_PREAMBLE, trialsOf } from './try-it.ts'
import { BODIES, HEADERS, REFUSALS, VALUES } from './values.ts'

interface Listed {
  readonly service: string
  readonly name: string
  readonly shown: ShownOperation
}

const operations: readonly Listed[] = SERVICES.flatMap((service) => {
  const text = readFileSync(join(ROOT, `workers/${service}/openapi.json`), 'utf8')
  return operationsIn(JSON.parse(text) as RenderedDocument).map((shown) => ({
    service,
    name: shown.operation.operationId ?? '',
    shown,
  }))
})
const keys = new Set(operations.map(({ service, name }) => `${service} ${name}`))
const calls = SERVICES.flatMap((service) => [...callsOf(service)].map(([name, call]) => ({ service, name, call })))
const find = (service: string, name: string) => operations.find((one) => one.service === service && one.name === name)!
const textOf = (service: string, name: string) => {
  const command = commandOf(service, find(service, name).shown)
  return 'text' in command ? command.text : command
}

describe('every operation', () => {
  it('has code to run, or a reason why not', () => {
    const without = operations.filter(({ service, name, shown }) => {
      const hasCode = callsOf(service).has(name) || 'text' in commandOf(service, shown)
      return !hasCode && withoutTrial(service, shown) === undefined && operatorCommand(service, shown) === undefined
    })
    expect(operations.length).toBeGreaterThan(290)
    expect(without.map(({ service, name }) => `${service} ${name}`)).toEqual([])
  })

  it('with a reason has no call', () => {
    const called = new Set(calls.map(({ service, name }) => `${service} ${name}`))
    expect(EXCEPTIONS.filter((key) => called.has(key))).toEqual([])
  })

  it('is named by the tables as it is in the documents', () => {
    const named = [...Object.keys(BODIES), ...Object.keys(HEADERS), ...Object.keys(REFUSALS), ...EXCEPTIONS]
    const ofParameters = Object.keys(VALUES).flatMap((key) => (key.includes(' ') ? key.replace(/ \w+$/, '') : []))
    expect([...named, ...ofParameters].filter((key) => !keys.has(key))).toEqual([])
    expect(calls.map(({ service, name }) => `${service} ${name}`).filter((key) => !keys.has(key))).toEqual([])
  })
})

describe('a call', () => {
  it('starts from names that its page makes or explains', () => {
    const unknown = calls.flatMap(({ service, name, call }) => {
      const preamble = service === 'auth' ? SIGN_IN_PREAMBLE : PREAMBLE
      const isKnown = (one: string) => one in EXPLAINED || new RegExp(`const .*\\b${one}\\b.* =`).test(preamble)
      return call.given.filter((one) => !isKnown(one)).map((one) => `${service} ${name}: ${one}`)
    })
    expect(unknown).toEqual([])
  })

  it('is short, and parses behind the preamble', () => {
    expect(calls.length).toBeGreaterThan(180)
    for (const { name, call } of calls) {
      const lines = call.code.split('\n')
      expect(lines.length, name).toBeLessThanOrEqual(12)
      expect(Math.max(...lines.map((line) => line.length)), name).toBeLessThanOrEqual(116)
      expect(parseSync('shown.ts', `async () => {\n${call.code.replaceAll(/^import .*$/gm, '')}\n}`).errors).toEqual([])
    }
  })

  it('uses nothing of its file but imports', () => {
    for (const file of SERVICES.flatMap(callFiles)) {
      const { program } = parseSync(file, readFileSync(file, 'utf8'), { lang: 'ts' })
      const types = new Set(program.body.map(({ type }) => type))
      expect([...types].toSorted(), file).toEqual(['ExportNamedDeclaration', 'ImportDeclaration'])
    }
  })

  it('is shown without its indent, behind the imports that it uses', () => {
    const source = `import { Client, Device } from '@svc/client'
import { mlDsa65, explain } from '@svc/client/functions'
import type { Calls } from './given.ts'
export const some = {
  async first({ client, origin }) {
    const device = await Device.create({ origin })
    if (device) {
      client.explain(mlDsa65)
    }
  },
  async second() {
    const client = Client
  },
} satisfies Calls
`
    const code = `import { Device } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'

const device = await Device.create({ origin })
if (device) {
  client.explain(mlDsa65)
}`
    expect(callsIn('some.ts', source)).toEqual([
      ['first', { code, given: ['client', 'origin'] }],
      ['second', { code: 'const client = Client', given: [] }],
    ])
  })
})

describe('a command', () => {
  it('of an open read is one line', () => {
    expect(textOf('core', 'readHealth')).toBe('curl http://localhost:8787/health')
    expect(textOf('core', 'readHealthHead')).toBe('curl -I http://localhost:8787/health')
    expect(textOf('consent', 'readConsentSnapshot')).toBe(
      'curl "http://localhost:8789/api/v1/consent/snapshot?bucket=17"',
    )
  })

  it('has an assertion for its method, address and body', () => {
    expect(textOf('core', 'readHead')).toBe(
      'url=http://localhost:8787/api/chain/head\ncurl -H "$(scripts/assertion chain GET $url)" $url',
    )
    expect(textOf('keys', 'putDirectorySettings')).toBe(`did=$(scripts/assertion --did)
url=http://localhost:8791/api/key-directory/$did/settings
body='{"reserve":"contacts","contacts":[]}'
curl -X PUT \\
  -H "$(scripts/assertion keys PUT $url "$body")" \\
  -H 'Origin: http://localhost:3000' \\
  -H 'Content-Type: application/json' \\
  -d "$body" \\
  $url`)
  })

  it('is not there where a program makes the credential, the body or an id', () => {
    expect(textOf('consent', 'createConsent')).toEqual({ whyNot: 'a program makes the credential of this request' })
    expect(textOf('core', 'appendBlock')).toEqual({ whyNot: 'a program computes or signs the body of this request' })
    expect(textOf('core', 'readNote')).toEqual({ whyNot: 'the address has an id from an earlier request' })
  })
})

describe('a page', () => {
  it('says what curl answers before anything has happened', () => {
    const { of } = trialsOf('did')
    expect(of(find('did', 'readOfficers').shown).at(-1)).toBe(
      'With curl you get 404 `not_found` until the identity is an organization.',
    )
  })

  it('says at its top only what its operations need', () => {
    const { preamble } = trialsOf('core')
    const only = (name: string) => preamble([find('core', name).shown]).join('\n')
    expect(only('readMeta')).toBe(
      '\nTo try these operations, start the services on your machine with `scripts/start --no-walk`. The [request explorer]' +
        '(/developer/console#requests) of the console sends any of them, there and in a deployment.',
    )
    expect(only('requestInvite')).toBe('')
    expect(only('readHead')).toContain(PREAMBLE)
  })
})
