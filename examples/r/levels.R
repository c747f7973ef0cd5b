# The levels of the last hour, in figures and as a chart, levels.png: Rscript levels.R [ADDRESS]
address <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(address)) address <- Sys.getenv("AUDIO_METRICS_URL", "http://127.0.0.1:3000")
address <- sub("/$", "", address)
key <- Sys.getenv("API_KEY")
levels <- Sys.getenv("LEVELS", "absolute")

file <- paste0(address, "/api/v1/export/csv?from=now-1h&to=now&levels=", levels)
points <- tryCatch(
  read.csv(url(file, headers = if (nzchar(key)) c(Authorization = paste("Bearer", key)))),
  warning = function(problem) { # R warns with the reason before it fails
    message(address, " did not answer: ", conditionMessage(problem))
    if (grepl("400", conditionMessage(problem))) message("Calibrate, or set LEVELS=stored")
    quit(status = 1)
  }
)
if (nrow(points) == 0) {
  message("There are no points in the last hour")
  quit(status = 1)
}
points$time <- as.POSIXct(points$time, format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC")

cat(nrow(points), "points\n")
cat("Leq", 10 * log10(mean(10^(points$rms_db / 10), na.rm = TRUE)), "dB\n")
print(summary(points$rms_db))

png("levels.png", width = 1200, height = 400)
plot(points$time, points$rms_db, type = "l", xaxt = "n", xlab = "UTC", ylab = paste("dB,", levels))
axis.POSIXct(1, points$time, format = "%H:%M")
invisible(dev.off())
cat("The chart is in levels.png\n")
