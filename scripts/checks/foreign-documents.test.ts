import { readFileSync } from 'node:fs'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles()
  .filter((file) => /^(?:workers\/\w+|packages\/service)\/src\//.test(file) && !/\.(?:test|fixture)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(`${ROOT}/${file}`, 'utf8') }))

/** Other Workers of the deployment speak our own forms. */
const OUR_OWN = /internal\/internal\.ts$|logs\/|files\.ts$/

/** Programs of others whose answers are read here: identity providers, Stripe, Turnstile, gateways. */
const readsOthers = ({ file, text }: { readonly file: string; readonly text: string }) =>
  /\/payments\/(?:event|stripe-\w+)\.ts$/.test(file) || text.includes("'@svc/protocol/http/foreign'")

describe('documents of other people’s software', () => {
  it('are parsed as foreign objects wherever an answer of theirs is read', () => {
    const reading = files.filter(({ file, text }) => /await response\.json\(\)/.test(text) && !OUR_OWN.test(file))
    expect(reading.length).toBeGreaterThan(2)
    expect(reading.filter((one) => !readsOthers(one)).map(({ file }) => file)).toEqual([])
  })

  it('are never held to be closed', () => {
    const reading = files.filter(readsOthers)
    expect(reading.length).toBeGreaterThan(6)
    expect(reading.filter(({ text }) => /strictObject|\.strict\(/.test(text)).map(({ file }) => file)).toEqual([])
  })
})
