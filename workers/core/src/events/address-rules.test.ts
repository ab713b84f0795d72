import { expect, it } from 'vitest'
import { addressRulesOf } from './address-rules.ts'

const deployment = {
  PUBLIC_ORIGINS: ['https://core.example', 'https://alias.example:8443'],
  SERVICES: { did: 'https://did.example/', keys: 'https://keys.example' },
  DOCS_URL: 'https://docs.example/pages',
} as unknown as Parameters<typeof addressRulesOf>[0]

it('counts every host of the deployment as its own', () => {
  expect(addressRulesOf({ ...deployment, ENVIRONMENT: 'production' })).toEqual({
    ownHosts: ['core.example', 'alias.example', 'did.example', 'keys.example', 'docs.example'],
    isLocal: false,
  })
})

it('is local only where the configuration says so', () => {
  expect(addressRulesOf({ ...deployment, ENVIRONMENT: 'local' }).isLocal).toBe(true)
  expect(addressRulesOf({ ...deployment, ENVIRONMENT: 'staging' }).isLocal).toBe(false)
})
