# Sourced by scripts: with -h or --help as the first argument, prints the comment at the top of the script and ends it.
case "${1:-}" in
-h | --help)
    awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
    exit 0
    ;;
esac
