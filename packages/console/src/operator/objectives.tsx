import { useState } from 'preact/hooks'
import { textIn } from '../files/given-file.ts'
import { momentOf } from '../shell/dates.ts'
import { FileField } from '../shell/file-field.tsx'
import { words } from '../words/operator/words.ts'
import { Burns } from './burns.tsx'
import { type Alert, type SloReport, sloReportOf } from './slo-report.ts'

/** The figures are in stored metrics, which no service reads: the operator brings them in a file. */
export function Objectives() {
  const [report, setReport] = useState<SloReport | null>(null)
  const [isWrong, setWrong] = useState(false)
  const open = async (file: File) => {
    const read = sloReportOf(await textIn(file).catch(() => ''))
    setReport(read)
    setWrong(read === null)
  }
  return (
    <section class="panel">
      <h2>{words.slo}</h2>
      <p>{words.sloLead}</p>
      <FileField
        label={words.sloFile}
        hint={words.sloFileHint}
        accept=".json"
        onFile={(file) => void (file && open(file))}
      />
      {isWrong ? (
        <p role="alert" class="bad">
          {words.sloWrong}
        </p>
      ) : null}
      {report === null ? null : (
        <>
          <p>
            {report.alerts.length === 0 ? words.quiet : null} {words.sloRows(report.rows)}
          </p>
          <Alerts title={words.rings} alerts={report.alerts} />
          <Alerts title={words.rang} alerts={report.past} />
          <Burns burns={report.burns} />
        </>
      )}
    </section>
  )
}

interface AlertsProps {
  readonly title: string
  readonly alerts: readonly (Alert & { readonly until?: number })[]
}

function Alerts({ title, alerts }: AlertsProps) {
  if (alerts.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul class="list">
        {alerts.map(({ alert, subject, since, until, text }) => (
          <li key={`${alert} ${subject} ${since}`}>
            <div>
              <strong>{subject}</strong>
              <span class="tag">{alert}</span>
              <p>{text}</p>
              <small>{until === undefined ? momentOf(since) : words.between(momentOf(since), momentOf(until))}</small>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
