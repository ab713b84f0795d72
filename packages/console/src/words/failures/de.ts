import type { FailureWords } from './en.ts'

export const words: FailureWords = {
  other: 'Etwas ist schiefgegangen. Versuchen Sie es noch einmal.',
  promptClosed: 'Das Fenster wurde geschlossen oder es wurde kein Passkey gewählt. Versuchen Sie es noch einmal.',
  passkeyThere: 'Dieses Gerät hat für dieses Konto schon einen Passkey.',
  unreachable: 'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  notOpened: 'Der Schlüssel ließ sich nicht öffnen. Prüfen Sie die Passphrase oder den Passkey.',
  notText: 'Diese Datei ist kein Text in UTF-8. Speichern Sie sie als UTF-8 oder wählen Sie eine andere Datei.',
  tooMany: (duration) => `Zu viele Versuche. Versuchen Sie es in ${duration} noch einmal.`,
  seconds: (count) => (count === 1 ? '1 Sekunde' : `${count} Sekunden`),
  minutes: (count) => `${count} Minuten`,
  hours: (count) => `${count} Stunden`,
  byError: {
    account_exists: 'Für diese Person gibt es schon ein Konto. Melden Sie sich an oder stellen Sie es wieder her.',
    budget_exhausted: 'Ihr Tarif hat keinen Platz für mehr.',
    code_rejected: 'Der Code ist falsch. Sehen Sie in der E-Mail nach und versuchen Sie es noch einmal.',
    code_unusable: 'Das hat zu lange gedauert oder wurde schon benutzt. Beginnen Sie von vorn.',
    cors_denied: 'Der Dienst nimmt diese Seite nicht an. Fragen Sie den Betreiber.',
    dependency_unavailable: 'Der Dienst ist nicht verfügbar. Versuchen Sie es in einer Minute noch einmal.',
    licence_required: 'Die Organisation braucht dafür einen Tarif. Sie finden die Tarife unter Tarif und Zahlungen.',
    provider_disabled: 'Dieser Anbieter ist hier nicht eingerichtet. Wählen Sie einen anderen Weg.',
    quota_exhausted: 'Ihr Tarif erlaubt davon in diesem Monat nicht mehr.',
    sign_in_rejected: 'Die Anmeldung wurde nicht angenommen. Prüfen Sie Ihre Eingaben oder melden Sie sich anders an.',
    token_rejected: 'Ihre Sitzung ist abgelaufen. Melden Sie sich wieder an.',
  },
}
