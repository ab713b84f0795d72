import { useEffect, useState } from 'preact/hooks'
import { words } from '../words/home/words.ts'
import { language } from '../words/language.ts'

const SECOND = 1_000

/** The time until something takes effect. Told once a minute to those who hear it, shown every second. */
export function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND)
    return () => clearInterval(timer)
  }, [])
  const left = until - now
  return (
    <p class="countdown" role="timer">
      {left <= 0 ? words.due : words.takesEffect(spanOf(left))}
    </p>
  )
}

/** Two units at most: days and hours, hours and minutes, minutes and seconds. */
function spanOf(ms: number): string {
  const seconds = Math.ceil(ms / SECOND)
  const units = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3_600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', seconds % 60],
  ] as const
  const first = Math.max(
    0,
    units.findIndex(([, value]) => value > 0),
  )
  return units
    .slice(first, first + 2)
    .map(([unit, value]) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value))
    .join(' ')
}
