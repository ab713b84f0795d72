import type { FailureWords } from './en.ts'

export const words: FailureWords = {
  other: 'Etwas ist schiefgegangen. Versuchen Sie es noch einmal.',
  promptClosed: 'Das Fenster wurde geschlossen oder es wurde kein Passkey gewählt. Versuchen Sie es noch einmal.',
  passkeyThere: 'Dieses Gerät hat für dieses Konto schon einen Passkey.',
  notLoaded:
    'Dieser Teil der Konsole war nicht zu laden: Es gibt eine neue Version oder keine Verbindung. Laden Sie die Seite neu.',
  storageBlocked:
    'Dieser Browser lässt die Seite nichts aufbewahren, darum gingen die Schlüssel einer Identität verloren. Erlauben Sie dieser Seite Speicher und versuchen Sie es noch einmal.',
  notAPicture:
    'Diese Datei ist nicht als Bild lesbar: Der Browser kennt das Format nicht, oder die Datei ist beschädigt.',
  caught: {
    verification:
      'Die Antwort des Dienstes lässt sich nicht bestätigen, darum wurde nichts davon verwendet. Versuchen Sie es noch einmal. Bleibt es so, ist sie beschädigt oder gefälscht: Vergleichen Sie mit einem anderen Gerät und sagen Sie es dem Betreiber.',
    fork: 'Der Dienst zeigt eine andere Geschichte, als er diesem Browser früher gezeigt hat. Eine von beiden ist gefälscht. Ändern Sie jetzt nichts, vergleichen Sie mit einem anderen Gerät und sagen Sie es dem Betreiber.',
    rollback:
      'Der Dienst zeigt einen älteren Stand, als er diesem Browser früher gezeigt hat. Neuere Einträge werden Ihnen vielleicht verschwiegen. Ändern Sie jetzt nichts, vergleichen Sie mit einem anderen Gerät und sagen Sie es dem Betreiber.',
    unproved:
      'Der Dienst zeigt Änderungen, die niemand Berechtigtes unterschrieben hat; sie wurden nicht angenommen. Vielleicht versucht jemand, die Identität zu übernehmen. Ändern Sie jetzt nichts, vergleichen Sie mit einem anderen Gerät und sagen Sie es dem Betreiber.',
    discovery:
      'Die Dienste benutzen Schlüssel oder Adressen, die sie nicht angekündigt hatten. Vielleicht sind es fremde. Geben Sie hier nichts ein und fragen Sie den Betreiber auf einem anderen Weg.',
    signature:
      'Die Unterschrift ist von einem anderen Schlüssel, darum wurde nichts gesendet. Benutzen Sie diesen Schlüssel nicht, bis Sie wissen, warum.',
  },
  notSigned: 'Der Schlüssel hat nicht unterschrieben, darum wurde nichts gesendet. Versuchen Sie es noch einmal.',
  staleMirror:
    'Der Dienst antwortet nicht, und die Kopie eines Spiegels ist zu alt. Versuchen Sie es später noch einmal.',
  invitationWhole:
    'Geben Sie den ganzen Text ein, den das andere Gerät zeigt: zehn Gruppen mit vier Zeichen, oder eine Adresse, die damit endet.',
  invitationCharacter: (group) =>
    `In der ${group}. Gruppe steht ein Zeichen, das nie vorkommt. Vergleichen Sie sie mit dem anderen Gerät.`,
  invitationTyping: 'Es gibt einen Tippfehler. Vergleichen Sie jede Gruppe mit dem anderen Gerät.',
  recoveryWords: 'Das sind nicht die Wörter eines Blattes zur Wiederherstellung. Vergleichen Sie jedes mit dem Blatt.',
  recoveryWord: (position) => `Das ${position}. Wort steht nicht auf der Liste. Vergleichen Sie es mit dem Blatt.`,
  keysMalformed: 'Das ist keine Datei mit Schlüsseln, oder sie ist beschädigt. Nehmen Sie eine andere Kopie.',
  keysMismatch:
    'Die Schlüssel in dieser Datei gehören nicht zusammen; keiner wurde benutzt. Nehmen Sie eine andere Kopie.',
  cannotEncrypt: 'Dieser Passkey oder Browser kann keine Schlüssel verschlüsseln. Nehmen Sie eine Passphrase.',
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
