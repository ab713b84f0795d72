import { visibleJsonOf } from '@svc/client/text'
import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { metricsFile } from '@svc/platform/local/metrics'
import { resolveFromCaller } from '@svc/platform/workspace'
import { credentialsOf } from '../account.ts'
import { readDeployment } from '../deployment.ts'
import { countingQuery } from '../slo/rows.ts'
import { reportSlos, type SloOptions } from '../slo/slo.ts'

const HELP = `Usage: scripts/slo [options]

Tells which alerts ring, from stored rows of metrics, and draws how the objectives burn. Exits with 1 if one rings, so
that a scheduled job can notify you.

  --rows FILE               rows of a local start or of a load run (default: those of the state folder)
  --state DIR               the state folder (default .state)
  --deployment ENVIRONMENT  ask Analytics Engine for the rows of deployments/ENVIRONMENT.json instead; needs
                            CLOUDFLARE_API_TOKEN with the permission "Account Analytics: Read"
  --hours N                 how many hours to ask for (default 72)
  --html FILE               write a page with charts to FILE
  --scale N                 divide all windows by N, for a load run of seconds (default 1)
  --query                   print the query for Analytics Engine and stop
  --json                    print JSON, which the page for operators of the console draws
  --help                    show this`

await runEntry({
  name: 'scripts/slo',
  help: HELP,
  options: {
    rows: { type: 'string' },
    state: { type: 'string', default: '.state' },
    deployment: { type: 'string' },
    hours: { type: 'string', default: '72' },
    html: { type: 'string' },
    scale: { type: 'string', default: '1' },
    query: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  async run({ values }) {
    const hours = wholeNumber('--hours', values.hours, { from: 1, to: 2160 })
    const scale = wholeNumber('--scale', values.scale, { from: 1 })
    if (values.rows !== undefined && values.deployment !== undefined)
      throw new UsageError('Give either --rows or --deployment')
    const dataset = datasetOf(values.deployment)
    if (values.query) {
      console.log(countingQuery(dataset, hours))
      return 0
    }
    const source: SloOptions['source'] =
      values.deployment === undefined
        ? resolveFromCaller(values.rows ?? metricsFile(values.state))
        : { ...credentialsOf(readDeployment(values.deployment)), dataset, hours }
    const report = await reportSlos({
      source,
      now: values.deployment === undefined ? null : Date.now(),
      scale,
      html: values.html === undefined ? undefined : resolveFromCaller(values.html),
    })
    const { rows, alerts, past } = report
    if (values.json) console.log(visibleJsonOf(report, 2))
    else {
      for (const { alert, subject, text } of alerts) console.log(`RINGS  ${alert}  ${subject}\n  ${text}`)
      for (const { alert, subject, since, until } of past)
        console.log(`rang   ${alert}  ${subject}  ${timeOf(since)} to ${timeOf(until)}`)
      console.log(`${rows} rows, ${alerts.length === 0 ? 'no alert rings' : `${alerts.length} alerts ring`}`)
    }
    return alerts.length > 0 ? 1 : 0
  },
})

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}

function datasetOf(environment: string | undefined): string {
  const suffix = environment === undefined ? '' : readDeployment(environment).suffix
  return `svc_metrics${suffix}`.replaceAll('-', '_')
}
