import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DEPLOYMENTS, readDeployment, type Vars } from './deployment.ts'

const folder = mkdtempSync(join(tmpdir(), 'deployments-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const staging = JSON.parse(readFileSync(join(DEPLOYMENTS, 'staging.json'), 'utf8')) as object

function withMembers(members: object) {
  writeFileSync(join(folder, 'moving.json'), JSON.stringify({ ...staging, ...members }))
  return readDeployment('moving', folder)
}

const withVars = (vars: Readonly<Record<string, Vars>>) => withMembers({ vars })

describe('the realms of a deployment', () => {
  const realms = ['https://core.new.example', 'https://core.old.example']

  it('are set for all Workers at once', () => {
    expect(withVars({ all: { REALMS: realms } }).vars.all).toEqual({ REALMS: realms })
  })

  it('are not set for one Worker', () => {
    expect(() => withVars({ keys: { REALMS: realms } })).toThrow(
      'deployments/moving.json: vars.keys has REALMS; all Workers need the same, so set it in vars.all.',
    )
  })

  it.each([[null], [[]], ['https://core.new.example'], [['https://core.new.example/']], [[realms[0]!, realms[0]!]]])(
    'are not %j',
    (wrong) => {
      expect(() => withVars({ all: { REALMS: wrong } })).toThrow(
        'deployments/moving.json: vars.all.REALMS must be a list of origins like https://core.example.com, each once.',
      )
    },
  )
})

it('takes the jurisdiction from its location alone', () => {
  expect(() => withVars({ all: { JURISDICTION: 'eu' } })).toThrow(
    'deployments/moving.json: vars.all has JURISDICTION; set location.jurisdiction instead.',
  )
})

describe('a deployment that cannot work', () => {
  const { hosts } = readDeployment('staging')

  it.each([
    ['has a host of two services', { hosts: { ...hosts, pay: hosts.core } }, 'a host can belong to one service only'],
    [
      'redirects a host that no service has',
      { redirectingHosts: ['old.example.org'] },
      'redirectingHosts: old.example.org is not an alias of a service',
    ],
    ['has a suffix of another form', { suffix: 'staging' }, 'suffix must be empty or like "-staging"'],
  ])('is refused: it %s', (_, members, fault) => {
    expect(() => withMembers(members)).toThrow(`deployments/moving.json: ${fault}.`)
  })
})
