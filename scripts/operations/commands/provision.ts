import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { modelFiles, runtimeFiles } from '@svc/platform/provision-files'
import { resolveFromCaller } from '@svc/platform/workspace'
import { apiOf, committedConfigs } from '../account.ts'
import { deploymentNames, environmentOf, readDeployment } from '../deployment.ts'
import { changeSecret, describeProvisioning, finishChange, provision } from '../provision.ts'
import { defaultSecretsPath, INVITES, SecretsFile } from '../secrets.ts'
import { announceNextKey, endKey } from '../service-keys.ts'

const HELP = `Usage: scripts/provision ENVIRONMENT [options]

Creates the resources that the Workers of an environment (${deploymentNames().join(', ')}) bind to, writes their ids into
deployments/ENVIRONMENT.json, uploads the files that provenance serves, and generates secrets. Existing resources,
files and secrets stay unchanged.
Needs CLOUDFLARE_API_TOKEN, and CLOUDFLARE_ACCOUNT_ID if the environment's file names no account.

  --models DIR                models for provenance to serve, one file each (default: none). The runtime that runs
                              them comes with the platform
  --dry-run                   print what would change; makes no request and needs no credential
  --secrets FILE              where the secrets are kept (default deployments/.secrets/ENVIRONMENT.json)
  --change-internal-secret    give every Worker a new SVC_INTERNAL_SECRET; the current one stays valid beside it
  --finish-change             remove the previous secret, once the change is complete
  --change-invite-seed        give core a new INVITE_SEED; the current one stays valid beside it
  --finish-invite-change      remove the previous seed, a day after the change
  --next-key SEED             announce the next key for RECEIPT_SEED, RESOLVER_SEED or another seed that signs; it takes
                              over by itself
  --after DAYS                how long it is announced first (default 30; 0 to replace a key that was ended)
  --end-key SEED              end the key that signs for a seed now, because the seed may be known to somebody else
  --settle SECONDS            pause between two Workers of a change (default 30)
  --help                      show this`

await runEntry({
  name: 'scripts/provision',
  help: HELP,
  operands: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    secrets: { type: 'string' },
    models: { type: 'string' },
    'change-internal-secret': { type: 'boolean', default: false },
    'finish-change': { type: 'boolean', default: false },
    'change-invite-seed': { type: 'boolean', default: false },
    'finish-invite-change': { type: 'boolean', default: false },
    'next-key': { type: 'string' },
    'end-key': { type: 'string' },
    after: { type: 'string', default: '30' },
    settle: { type: 'string', default: '30' },
  },
  async run({ values, positionals }) {
    const name = environmentOf(positionals)
    const days = wholeNumber('--after', values.after, { from: 0, to: 3650 })
    const settleSeconds = wholeNumber('--settle', values.settle, { to: 9999 })
    if (values['change-internal-secret'] && values['finish-change'])
      throw new UsageError(
        '--change-internal-secret and --finish-change are two runs: finish once every Worker has the new one',
      )
    if (values['change-invite-seed'] && values['finish-invite-change'])
      throw new UsageError('--change-invite-seed and --finish-invite-change are a day apart')
    const deployment = readDeployment(name)
    const secrets = SecretsFile.read(
      values.secrets === undefined ? defaultSecretsPath(name) : resolveFromCaller(values.secrets),
    )
    const models = values.models === undefined ? [] : [modelFiles(resolveFromCaller(values.models))]
    const provisioning = {
      deployment,
      configs: committedConfigs(),
      secrets,
      fileSets: [runtimeFiles(), ...models],
      print: (line: string) => console.log(line),
    }
    if (values['dry-run']) return describeProvisioning(provisioning)
    const api = apiOf(deployment)
    const settle = () => new Promise<void>((resolve) => setTimeout(resolve, settleSeconds * 1000))
    if (values['change-internal-secret']) {
      await changeSecret({ ...provisioning, settle }, api)
      console.log('A day from now, run scripts/provision --finish-change.')
    } else if (values['finish-change']) await finishChange(provisioning, api)
    else if (values['change-invite-seed']) {
      await changeSecret({ ...provisioning, secret: INVITES, settle }, api)
      console.log('A day from now, run scripts/provision --finish-invite-change.')
    } else if (values['finish-invite-change']) await finishChange({ ...provisioning, secret: INVITES }, api)
    else if (values['end-key'] !== undefined) {
      endKey({ deployment, seed: values['end-key'], now: Date.now() })
      console.log('The key has ended. Announce another with --next-key and --after 0, and publish the list.')
    } else if (values['next-key'] !== undefined) {
      const next = await announceNextKey({ ...provisioning, seed: values['next-key'], days, now: Date.now() }, api)
      console.log(
        `The next key signs from ${new Date(next.validFrom).toISOString()}. Publish it with scripts/log-list next, then run scripts/deploy.`,
      )
    } else await provision(provisioning, api)
  },
})
