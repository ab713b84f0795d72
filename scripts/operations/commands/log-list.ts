import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { readSeed, seedFileOf } from '@svc/platform/seed-file'
import { resolveFromCaller, SetupError } from '@svc/platform/workspace'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { apiOf, committedConfigs } from '../account.ts'
import { readJsonFile } from '../acts/json-file.ts'
import { deploymentNames, readDeployment } from '../deployment.ts'
import {
  derivedLog,
  describeDraft,
  firstDraft,
  type LogListDraft,
  listKeysOf,
  nextDraft,
  readDraft,
  signedDraft,
} from '../logs/draft.ts'
import { keepersOf, lastCheckpoint, reported } from '../logs/keepers.ts'
import { deployedKeys, derivedBeacons, keysAfter, reportedBeacon } from '../logs/listed-keys.ts'
import { newestLogList, publishLogList } from '../logs/publish-list.ts'
import { defaultSecretsPath, SecretsFile } from '../secrets.ts'

const HELP = `Usage: scripts/log-list public-key
       scripts/log-list init ENVIRONMENT FILE --public-key FILE… --threshold N
       scripts/log-list next ENVIRONMENT FILE [options]
       scripts/log-list sign FILE
       scripts/log-list publish ENVIRONMENT FILE [--dry-run]

Makes the signed list of a deployment's logs and of the keys that its services, beacon and witnesses sign with. Clients
pin the keys of the list. Keep the list keys offline: only 'public-key' and
'sign' need one, from --seed, and they contact nobody.

  public-key  print the public key of a list key
  init        write version 1 to FILE, unsigned: the logs and the key of labels that the deployed Workers report, and
              the keys that are published in deployments/ENVIRONMENT.json
  next        write the version after the published one to FILE, unsigned, with these changes and the keys that are
              published now
  sign        show the list in FILE and add the signature of one list key
  publish     verify the list in FILE as clients will, and put it into the buckets of core and keys

  --public-key FILE   a key of the list, as 'public-key' prints it; repeatable. With 'next': replaces all keys, and the
                      earlier keys must sign as well
  --threshold N       how many of the keys must sign
  --days DAYS         how long the list is valid (default 365)
  --announce LOG      add a log that is not yet written to, by its full name; repeatable
  --open LOG          open a log; repeatable. It continues the log of its series that is closed with it
  --close LOG         close a log that was rolled: with its final checkpoint, which its Worker serves; repeatable
  --witnesses N       how many of the configured witnesses (WITNESS_KEYS of keys) the deployment proposes to clients
  --end-beacon PERIOD end the keys of the beacon of a period; repeatable
  --key-version N     version of the seed for the keys of announced logs (default: LOG_KEY_VERSION of the Workers)
  --secrets FILE      the log seeds, which the keys of new logs are derived from (default
                      deployments/.secrets/ENVIRONMENT.json)
  --seed FILE         a list key: a file with 64 hex characters that only you can read, or a pipe (default: the file
                      that the environment variable LOG_LIST_SEED_FILE names)
  --dry-run           print what 'publish' would write
  --help              show this

The environments are ${deploymentNames().join(', ')}. 'next' and 'publish' need CLOUDFLARE_API_TOKEN, and
CLOUDFLARE_ACCOUNT_ID if the environment's file names no account.`

const NO_KEYS = { services: [], beacon: [], witnesses: { threshold: 0, keys: [] } }

interface Values {
  readonly 'public-key': readonly string[]
  readonly threshold: string | undefined
  readonly days: string
  readonly announce: readonly string[]
  readonly open: readonly string[]
  readonly close: readonly string[]
  readonly 'key-version': string | undefined
  readonly witnesses: string | undefined
  readonly 'end-beacon': readonly string[]
  readonly secrets: string | undefined
  readonly seed: string | undefined
  readonly 'dry-run': boolean
}

await runEntry({
  name: 'scripts/log-list',
  help: HELP,
  operands: true,
  options: {
    'public-key': { type: 'string', multiple: true, default: [] },
    threshold: { type: 'string' },
    days: { type: 'string', default: '365' },
    announce: { type: 'string', multiple: true, default: [] },
    open: { type: 'string', multiple: true, default: [] },
    close: { type: 'string', multiple: true, default: [] },
    'key-version': { type: 'string' },
    witnesses: { type: 'string' },
    'end-beacon': { type: 'string', multiple: true, default: [] },
    secrets: { type: 'string' },
    seed: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
  async run({ values: given, positionals }) {
    const { threshold, secrets, seed, witnesses } = given
    const values: Values = { ...given, threshold, secrets, seed, witnesses, 'key-version': given['key-version'] }
    const [command, ...operands] = positionals
    const [first, second, ...more] = operands
    if (command === 'public-key' && first === undefined)
      return console.log(encodeBase64url(await mlDsa65.publicKeyOf(listSeed(values.seed))))
    if (command === 'sign' && first !== undefined && second === undefined) return sign(first, values)
    if (first === undefined || second === undefined || more.length > 0)
      throw new UsageError('Name a command with its operands')
    if (command === 'init') return init(first, second, values)
    if (command === 'next') return next(first, second, values)
    if (command === 'publish') return publish(first, second, values)
    throw new UsageError(`'${command}' is none of public-key, init, next, sign, publish`)
  },
})

async function init(environment: string, file: string, values: Values): Promise<void> {
  const keys = keysOf(values)
  if (!keys) throw new UsageError('--public-key and --threshold are required')
  const validity = validityOf(values)
  const configured = { deployment: readDeployment(environment), configs: committedConfigs() }
  const keepers = keepersOf(configured)
  const change = { ...deployedKeys(configured, await reportedBeacon(keepers)), threshold: thresholdOf(values) }
  const listed = keysAfter(NO_KEYS, change, validity.now)
  writeDraft(file, firstDraft(keepers, await reported(keepers), keys, listed, validity), { isNew: true })
}

async function next(environment: string, file: string, values: Values): Promise<void> {
  const keys = keysOf(values)
  const validity = validityOf(values)
  const deployment = readDeployment(environment)
  const configured = { deployment, configs: committedConfigs() }
  const keepers = keepersOf(configured)
  const path = values.secrets === undefined ? defaultSecretsPath(environment) : resolveFromCaller(values.secrets)
  const secrets = SecretsFile.read(path)
  const text = values['key-version']
  const version = text === undefined ? undefined : wholeNumber('--key-version', text, { from: 1, to: 99 })
  const derived = (names: readonly string[]) =>
    Promise.all(names.map((log) => derivedLog(keepers, log, (seed) => secrets.get(seed), version)))
  const close = await Promise.all(values.close.map((log) => lastCheckpoint(keepers, log)))
  const [announce, open] = [await derived(values.announce), await derived(values.open)]
  const before = await newestLogList(keepers, apiOf(deployment))
  const announcedBeacons = await derivedBeacons(keepers, values.announce, (seed) => secrets.get(seed), version)
  const beacon = [...(await reportedBeacon(keepers)), ...announcedBeacons]
  const listed = {
    ...deployedKeys(configured, beacon),
    threshold: thresholdOf(values),
    endedBeacons: values['end-beacon'],
  }
  writeDraft(file, nextDraft(before, { announce, open, close, keys, listed, keepers }, validity), { isNew: true })
}

async function sign(file: string, { seed }: Values): Promise<void> {
  const draft = readDraft(file, readJsonFile(file))
  writeDraft(file, await signedDraft(draft, listSeed(seed)), { isNew: false })
}

async function publish(environment: string, file: string, values: Values): Promise<void> {
  const draft = readDraft(file, readJsonFile(file))
  const deployment = readDeployment(environment)
  const print = (line: string) => console.log(line)
  for (const line of describeDraft(draft)) print(line)
  const parts = { deployment, configs: committedConfigs(), draft, now: Date.now(), print }
  await publishLogList({ ...parts, isDryRun: values['dry-run'] }, apiOf(deployment))
}

function keysOf({ 'public-key': files, threshold }: Values) {
  if (files.length === 0 && threshold === undefined) return undefined
  if (files.length === 0 || threshold === undefined)
    throw new UsageError('--public-key and --threshold belong together')
  const keys = files.map((path) => readFileSync(resolveFromCaller(path), 'utf8').trim())
  return listKeysOf(keys, wholeNumber('--threshold', threshold, { from: 1 }))
}

function thresholdOf({ witnesses }: Values): number | undefined {
  return witnesses === undefined ? undefined : wholeNumber('--witnesses', witnesses, { to: 32 })
}

function validityOf({ days }: Values) {
  return { now: Date.now(), days: wholeNumber('--days', days, { from: 1, to: 3650 }) }
}

function writeDraft(file: string, draft: LogListDraft, { isNew }: { readonly isNew: boolean }): void {
  const path = resolveFromCaller(file)
  if (isNew && existsSync(path)) throw new SetupError(`${file} exists; name another file.`)
  writeFileSync(path, `${JSON.stringify(draft, null, 2)}\n`)
  for (const line of describeDraft(draft)) console.log(line)
}

function listSeed(option: string | undefined): Uint8Array {
  const file = seedFileOf(option, 'LOG_LIST_SEED_FILE')
  if (file === undefined) throw new UsageError('Name the file of a list key with --seed')
  return readSeed(file)
}
