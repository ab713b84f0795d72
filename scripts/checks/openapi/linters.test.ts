import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import { Json } from '@stoplight/spectral-parsers'
import { oas } from '@stoplight/spectral-rulesets'
import { ROOT, WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { expect, it } from 'vitest'

const pathOf = (name: WorkerName) => join(ROOT, 'workers', name, 'openapi.json')
const textOf = (name: WorkerName) => readFileSync(pathOf(name), 'utf8')

/**
 * What stands, by service. The router prefers literal segments, so each of the two pairs of paths has one reading; a
 * provider's pages are reached by redirects, and a WebSocket opens with 101.
 */
const DEFENDED: Partial<Record<WorkerName, readonly string[]>> = {
  core: [
    ambiguous('/api/notes/{did}/cas/{cipherHash}', '/api/notes/{did}/{noteId}/versions'),
    withoutSuccess('/api/events/socket'),
  ],
  consent: [ambiguous('/api/v1/consent/by-creator/{did}', '/api/v1/consent/{hash}/history')],
  auth: ['google/start', 'google/callback', 'microsoft/start', 'microsoft/callback'].map((page) =>
    withoutSuccess(`/api/auth/${page}`),
  ),
}

const linter = new spectral.Spectral()
linter.setRuleset({ extends: [[oas as never, 'recommended']] })

it.each(WORKER_NAMES)(
  '%s is clean to Spectral’s rules',
  async (name) => {
    const found = await linter.run(new spectral.Document(textOf(name), Json as never, pathOf(name)))
    expect(found.map(({ code, path, message }) => `${code} ${path.join(' ')}: ${message}`)).toEqual([])
  },
  60_000,
)

it.each(WORKER_NAMES)(
  '%s is clean to Redocly’s rules, but for what is listed',
  async (name) => {
    const config = await createConfig({ extends: ['recommended'] })
    const found = await lintFromString({ source: textOf(name), absoluteRef: pathOf(name), config })
    const described = found.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
    expect(described).toEqual(DEFENDED[name] ?? [])
  },
  60_000,
)

function ambiguous(one: string, other: string): string {
  const message = `Paths should resolve unambiguously. Found two ambiguous paths: \`${one}\` and \`${other}\`.`
  return `no-ambiguous-paths ${pointerOf(other)}: ${message}`
}

function withoutSuccess(path: string): string {
  return `operation-2xx-response ${pointerOf(path)}/get/responses: Operation must have at least one \`2XX\` response.`
}

function pointerOf(path: string): string {
  return `#/paths/${path.replaceAll('/', '~1')}`
}
